import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INSTANCE_KEY } from "../support/gateway";
import { PUBLIC_URL } from "../support/lines";
import { addMember } from "../support/people";
import { type Ended, endProcesses, runCli, spawnCli } from "../support/process";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const NOWHERE = "sqlite:/nowhere/gateway.sqlite";

/** Replaces what differs between two runs that do the same. */
const alike = ({ code, stdout, stderr }: Ended) => ({
  code,
  stdout: [
    [/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>"],
    [/agk_dev_\w+|whsec_[\w+/=]+/g, "<key>"],
    [/agi_\w+/g, "<token>"],
    [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
    [/127\.0\.0\.1:\d+/g, "<host>"],
    [/(?<=-)[ds](?=\b)/g, "<run>"],
    [/command line|owner@example.com/g, "<actor>"],
    [/ +/g, " "],
  ].reduce((text, [pattern, name]) => text.replace(pattern as RegExp, name as string), stdout),
  stderr: stderr.replace(/(?<=-)[ds](?=\b)/g, "<run>"),
});

describeGateway({ engine: "any" }, (gateway) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gateway-test-"));
    await writeFile(join(folder, "valid.json"), JSON.stringify({ format: 1 }));
    await writeFile(join(folder, "invalid.json"), JSON.stringify({ format: 2 }));
  });
  afterAll(() => rm(folder, { recursive: true }));
  afterEach(endProcesses);

  const onDatabase = (...args: string[]) => runCli(gateway.databaseUrl, args, "", { INSTANCE_KEY });
  const onServer = (...args: string[]) =>
    runCli(NOWHERE, args, "", { GATEWAY_URL: gateway.url, GATEWAY_KEY: gateway.owner });

  /** Commands in an order in which each can succeed; `run` names what a run on the database or the server creates. */
  const commands = (run: string): string[][] => {
    const agent = ["--agent", `agent-${run}`];
    const org = ["--org", "first"];
    const email = `anna-${run}@example.com`;
    const file = (name: string) => join(folder, `${name}.json`);
    return [
      ["orgs", "list"],
      ["orgs", "rename", "first", "First"],
      ["orgs", "rename", "nowhere", "First"],
      ["agents", "add", ...org, "--slug", `agent-${run}`, "--name", "Agent"],
      ["agents", "add", ...org, "--slug", "-", "--name", "Agent"],
      ["agents", "rename", `agent-${run}`, "Helper"],
      ["agents", "list", ...org, "--limit", "1"],
      ["agents", "list", ...org, "--after", "x"],
      ["keys", "create", ...agent, "--name", "key", "--scopes", "pets:read", "--networks", "192.0.2.0/24"],
      ["keys", "create", ...agent, "--name", " "],
      ["keys", "list", ...agent],
      ["keys", "list", ...agent, "--state", "expired"],
      ["keys", "revoke", "agk_dev_nobody"],
      ["configuration", "get", ...agent],
      ["configuration", "get", ...agent, "--version", "9"],
      ["configuration", "get", ...agent, "--draft"],
      ["configuration", "publish", file("invalid"), ...agent],
      ["configuration", "publish", file("valid"), ...agent, "--expect", "1", "--note", "n"],
      ["configuration", "publish", file("valid"), ...agent],
      ["configuration", "publish", file("valid"), ...agent, "--expect", "1"],
      ["lines", "create", ...agent, "--name", "hook", "--kind", "webhook", "--url", PUBLIC_URL],
      ["lines", "create", ...agent, "--name", "mail", "--kind", "email", "--host", "h"],
      ["lines", "list", ...agent],
      ["lines", "update", ...agent, "hook", "--rate", "3"],
      ["lines", "pause", ...agent, "hook", "--reason", "r"],
      ["lines", "resume", ...agent, "hook"],
      ["lines", "rotate-secret", ...agent, "hook"],
      ["lines", "archive", ...agent, "nothing"],
      ["messages", "list", ...agent],
      ["messages", "cancel", "x"],
      ["webhooks", "create", ...org, "--url", PUBLIC_URL, ...agent, "--types", "message.sent"],
      ["webhooks", "update", ...org, "x", "--no-types"],
      ["webhooks", "list", "--org", "nowhere"],
      ["members", "list", ...org],
      ["members", "grant", email, "conversations:read"],
      ["members", "revoke", email, "conversations:read"],
      ["members", "passkeys", email],
      ["members", "sessions", "nobody@example.com"],
      ["members", "invite", ...org, "--email", `invited-${run}@example.com`, "--manage"],
      ["members", "withdraw", ...org, `invited-${run}@example.com`],
      ["members", "invitations", ...org],
      ["members", "remove", email],
      ["audit", "list", ...org, "--action", "member_removed", "--limit", "1"],
      ["audit", "list", ...org, "--since", "soon"],
    ];
  };

  slowTest("each command prints the same by --url as on the database", async () => {
    for (const run of ["d", "s"]) await addMember(gateway, { email: `anna-${run}@example.com` });
    const [ofDatabase, ofServer] = [commands("d"), commands("s")];
    for (const [i, args] of ofDatabase.entries()) {
      for (const json of [[], ["--json"]]) {
        // What is created once cannot be created again.
        if (json.length > 0 && /^(add|create|invite|withdraw|remove|cancel)$/.test(args[1] ?? "")) continue;
        const expected = alike(await onDatabase(...args, ...json));
        const ended = alike(await onServer(...(ofServer[i] ?? []), ...json));
        expect({ args, ...ended }).toEqual({ args, ...expected });
      }
    }
  });

  test("a key is listed, rotated and revoked from elsewhere, without --org", async () => {
    const json = async (...args: string[]) => JSON.parse((await onServer(...args, "--json")).stdout);
    const { hint } = await json("keys", "create", "--agent", "first-agent", "--name", "from elsewhere");
    const next = await json("keys", "rotate", hint, "--grace", "1h");
    expect(await json("keys", "revoke", next.id)).toMatchObject({ hint: next.hint, state: "revoked" });
    expect((await json("keys", "list")).map((key: { hint: string }) => key.hint)).toContain(hint);
    const [entry] = await json("audit", "list");
    expect(entry).toMatchObject({ action: "api_key_revoked", targetHint: next.hint });
  });

  const UNREACHABLE = "https://127.0.0.1:1";
  test.each<[args: string[], code: number, says: string]>([
    [["--url", UNREACHABLE, "migrate"], 2, "migrate works only on the database"],
    [["--url", UNREACHABLE, "members", "add"], 2, "--org"],
    [["--url", UNREACHABLE, "members", "sign-in-link", "x"], 2, "members sign-in-link works only on the"],
    [["--url", "http://gateway.example.com", "orgs", "list"], 2, "must begin with https://"],
    [["--url", "https://user:hunter2@127.0.0.1", "orgs", "list"], 2, "must not have a user name"],
    [["--url", UNREACHABLE, "orgs", "list"], 1, `${UNREACHABLE} cannot be reached`],
    [["--url", "", "orgs", "list"], 2, "The server URL is empty."],
    [["--key-stdin", "orgs", "list"], 2, "--key-stdin requires --url"],
  ])("%j ends with %d", async (args, code, says) => {
    const ended = await runCli(NOWHERE, args, "", { GATEWAY_KEY: "a_key" });
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(/^gateway: [^\n]+\n$/);
    expect(ended.stderr).toContain(says);
    expect(ended.stderr).not.toContain("hunter2");
  });

  test("a key that is missing or malformed is reported without the key", async () => {
    const run = (key: string) =>
      runCli(NOWHERE, ["--url", gateway.url, "orgs", "list"], "", { GATEWAY_KEY: key });
    expect(await run("")).toMatchObject({ code: 2, stderr: expect.stringContaining("Set GATEWAY_KEY") });
    expect(await run("hunter2\u00fc")).toMatchObject({ code: 2, stderr: "gateway: The key is malformed.\n" });
    expect(await run("agk_dev_x")).toMatchObject({ code: 1, stderr: expect.stringContaining("malformed") });
    const stdin = ["--url", gateway.url, "--key-stdin", "orgs", "list"];
    expect(await runCli(NOWHERE, stdin, `${gateway.owner}\n`)).toMatchObject({ code: 0, stderr: "" });
  });

  test("a busy server is waited for, and errors of a hostile one are one line without the key", async () => {
    const answers: RequestListener[] = [
      (_, response) => void response.writeHead(503, { "retry-after": "0" }).end("{}"),
      (_, response) => void response.end('{"data":{"organization":{"slug":"first"}}}'),
      (_, response) => void response.writeHead(503, { "retry-after": "-60" }).end("{}"),
      (_, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
      ({ headers }, response) => {
        const message = `\u001b[2J\n${headers.authorization}`;
        response.writeHead(500, { "x-request-id": "r-1" });
        response.end(JSON.stringify({ errors: [{ message, extensions: { code: "internal_error" } }] }));
      },
    ];
    const server = createServer((request, response) => answers.shift()?.(request, response)).listen(
      0,
      "127.0.0.1",
    );
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = () => runCli(NOWHERE, ["orgs", "list"], "", { GATEWAY_URL: url, GATEWAY_KEY: "hunter2" });
    expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining("first") });
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining("responded with 503") });
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining("responded with 307") });
    expect(await run()).toMatchObject({
      code: 1,
      stderr: "gateway: ?[2J Bearer [redacted] (request r-1)\n",
    });
    server.closeAllConnections();
    server.close();
  });

  slowTest("a command on a server ends as a process", async () => {
    const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: gateway.owner };
    expect(await spawnCli(NOWHERE, ["keys", "list"], "", env)).toMatchObject({ code: 0, signal: null });
  });
});
