import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INSTANCE_KEY, mintForOrganization } from "../support/gateway";
import { PUBLIC_URL } from "../support/lines";
import { addMember } from "../support/people";
import { type Ended, endProcesses, runCli, spawnCli } from "../support/process";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { webhookClient } from "../support/webhooks";

const NOWHERE = "sqlite:/nowhere/gateway.sqlite";
const UNREACHABLE = "https://127.0.0.1:1";

/** Replaces the parts of the output that differ between equal runs. */
const alike = ({ code, stdout, stderr }: Ended) => ({
  code,
  stdout: [
    [/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>"],
    [/ag[ko]_dev_\w+|whsec_[\w+/=]+/g, "<key>"],
    [/agi_\w+/g, "<token>"],
    [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
    [/127\.0\.0\.1:\d+/g, "<host>"],
    [/(?<=-)[ds](?=\b)/g, "<run>"],
    [/command line|owner@example.com/g, "<actor>"],
    [/ +/g, " "],
  ].reduce((text, [pattern, name]) => text.replace(pattern as RegExp, name as string), stdout),
  stderr: stderr.replace(/(?<=-)[ds](?=\b)/g, "<run>"),
});

describeGateway({ engine: "one" }, (gateway) => {
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

  /** IDs of the resources that a run on the database or the server changes. */
  const created = { key: "", endpoint: "" };

  /**
   * Commands, ordered so that each succeeds, except commands that would call another machine.
   * @param run part of the names of created resources; it differs between the database and the server
   */
  const commands = (run: string, { key, endpoint } = created): string[][] => {
    const agent = ["--agent", `agent-${run}`];
    const org = ["--org", "first"];
    const ofOrganization = ["--kind", "organization", "--name", `key-${run}`, "--scopes", "audit:read"];
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
      ["agents", "add", ...org, "--slug", `gone-${run}`, "--name", "Agent"],
      ["agents", "delete", `gone-${run}`],
      ["keys", "create", ...agent, "--name", "key", "--scopes", "pets:read", "--networks", "192.0.2.0/24"],
      ["keys", "create", ...agent, "--name", " "],
      ["keys", "create", "--name", "key"],
      ["keys", "create", ...org, ...ofOrganization, "--expires-in", "30d"],
      ["keys", "create", ...org, ...ofOrganization, "--expires-in", "400d"],
      ["keys", "create", ...org, ...ofOrganization.slice(0, 4)],
      ["keys", "create", ...agent, ...ofOrganization],
      ["keys", "list", ...org, "--kind", "organization", "--limit", "1"],
      ["keys", "update", key, "--description", "Deploys", "--rate-limit", "5", "--networks", "192.0.2.0/24"],
      ["keys", "rename", key, `renamed-${run}`],
      ["keys", "rotate", key, "--grace", "1h"],
      ["keys", "revoke", key],
      ["keys", "list", ...agent],
      ["keys", "list", ...agent, "--state", "expired"],
      ["keys", "revoke", "agk_dev_nobody"],
      ["configuration", "check", file("valid")],
      ["configuration", "test", file("invalid")],
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
      ["lines", "test", ...agent, "main"],
      ["lines", "set-default", ...agent, "hook"],
      ["lines", "rotate-secret", ...agent, "hook"],
      ["lines", "archive", ...agent, "nothing"],
      ["messages", "list", ...agent],
      ["messages", "cancel", "x"],
      ["webhooks", "create", ...org, "--url", PUBLIC_URL, ...agent, "--types", "message.sent"],
      ["webhooks", "update", ...org, "x", "--no-types"],
      ["webhooks", "list", "--org", "nowhere"],
      ["webhooks", "rotate-secret", ...org, endpoint],
      ["webhooks", "deliveries", ...org, endpoint, "--state", "failed"],
      ["webhooks", "redeliver", ...org, endpoint, "--since", "1h"],
      ["webhooks", "disable", ...org, endpoint],
      ["webhooks", "test", ...org, "x"],
      ["webhooks", "enable", ...org, endpoint],
      ["webhooks", "delete", ...org, endpoint],
      ["members", "list", ...org],
      ["members", "grant", email, "conversations:read"],
      ["members", "revoke", email, "conversations:read"],
      ["members", "passkeys", email],
      ["members", "sessions", "nobody@example.com"],
      ["members", "invite", ...org, "--email", `invited-${run}@example.com`, "--manage"],
      ["members", "withdraw", ...org, `invited-${run}@example.com`],
      ["members", "invitations", ...org],
      ["members", "unlink", email],
      ["members", "remove", email],
      ["audit", "list", ...org, "--action", "member_removed", "--limit", "1"],
      ["audit", "list", ...org, "--since", "soon"],
      ["orgs", "deactivate", "first"],
      ["orgs", "reactivate", "first"],
    ];
  };

  slowTest(
    "each command prints the same with --url as on the database",
    async () => {
      const runs: string[][][] = [];
      for (const run of ["d", "s"]) {
        await addMember(gateway, { email: `anna-${run}@example.com` });
        const { id: key } = await mintForOrganization(gateway, { name: `managed-${run}` });
        const { body } = await webhookClient(gateway).create({ url: PUBLIC_URL });
        runs.push(commands(run, { key, endpoint: body.data.createWebhookEndpoint.endpoint.id }));
      }
      const [ofDatabase = [], ofServer = []] = runs;
      for (const [i, args] of ofDatabase.entries()) {
        for (const json of [[], ["--json"]]) {
          // A command that creates or ends something cannot succeed twice.
          if (json.length > 0 && /^(add|create|invite|withdraw|remove|cancel)$/.test(args[1] ?? "")) continue;
          const expected = alike(await onDatabase(...args, ...json));
          const ended = alike(await onServer(...(ofServer[i] ?? []), ...json));
          expect({ args, ...ended }).toEqual({ args, ...expected });
          // The text of an error is the same in both formats.
          if (expected.code !== 0 && expected.stdout === "") break;
        }
      }
    },
    300_000,
  );

  /** Commands that work only on the database, with their required arguments. */
  const DISK_ONLY = [
    "start",
    "keys leaked -",
    "orgs add --slug x --name x",
    "messages release --all",
    "members add --org x --email x",
    "members reset-password x",
    "members sign-in-link x",
    "members sign-out x",
    "members remove-passkeys x",
    "instance-key replace",
    "seed",
    "migrate",
    "backup x",
    "restore x",
    "restored",
  ];

  test("each command is compared on both, or works only on the database and says so", async () => {
    const commandsIn = async (...group: string[]) => {
      const { stdout } = await runCli(NOWHERE, [...group, "--help"]);
      const [, list = ""] = stdout.split("\nCommands:\n");
      return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)]
        .map(([, name = ""]) => name)
        .filter((name) => name !== "help");
    };
    const all: string[] = [];
    for (const name of await commandsIn()) {
      const inGroup = await commandsIn(name);
      all.push(...(inGroup.length === 0 ? [name] : inGroup.map((each) => `${name} ${each}`)));
    }
    expect(all.length).toBeGreaterThan(60);
    const nameOf = (args: readonly string[]) =>
      all.find((name) => `${args.join(" ")} `.startsWith(`${name} `));
    const disk = DISK_ONLY.map((line) => line.split(" "));
    const known = [...commands("d"), ...disk].map(nameOf);
    expect(all.filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => name === undefined)).toEqual([]);
    for (const args of [...disk, ["members", "permit", "x"]]) {
      const ended = await runCli(NOWHERE, ["--url", UNREACHABLE, ...args], "", { GATEWAY_KEY: "a_key" });
      const stderr = expect.stringMatching(/^gateway: [a-z -]+ works only on the database: [^\n]+\n$/);
      expect({ args, ...ended }).toEqual({ args, code: 2, signal: null, stdout: "", stderr });
    }
  });

  test("an organization key remotely mints only keys with its own scopes and networks", async () => {
    const { secret } = await mintForOrganization(gateway, { scopes: ["keys:manage", "members:read"] });
    const mint = (...args: string[]) =>
      runCli(NOWHERE, ["keys", "create", "--name", `n ${Math.random()}`, ...args, "--json"], "", {
        GATEWAY_URL: gateway.url,
        GATEWAY_KEY: secret,
      });
    const minted = await mint("--kind", "organization", "--scopes", "members:read");
    expect(minted).toMatchObject({ code: 0, stderr: "" });
    const { agent, hint, allowedNetworks } = JSON.parse(minted.stdout);
    expect({ agent, allowedNetworks }).toEqual({ agent: null, allowedNetworks: ["127.0.0.0/8"] });
    expect(hint).toMatch(/^ago_dev_/);
    const ofAgent = ["--agent", "first-agent"];
    for (const [args, says] of [
      [["--kind", "organization", "--scopes", "audit:read"], "the scope audit:read, which it lacks"],
      [["--kind", "organization", "--scopes", "members:read", "--networks", "0.0.0.0/0"], "more networks"],
      [ofAgent, "without explicit scopes"],
    ] as const)
      expect(await mint(...args)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining(says),
      });
    expect(await mint(...ofAgent, "--scopes", "pets:read")).toMatchObject({ code: 0 });
  });

  test("a key is listed, rotated and revoked remotely, without --org", async () => {
    const json = async (...args: string[]) => JSON.parse((await onServer(...args, "--json")).stdout);
    const { hint } = await json("keys", "create", "--agent", "first-agent", "--name", "from elsewhere");
    const next = await json("keys", "rotate", hint, "--grace", "1h");
    expect(await json("keys", "revoke", next.id)).toMatchObject({ hint: next.hint, state: "revoked" });
    expect((await json("keys", "list")).map((key: { hint: string }) => key.hint)).toContain(hint);
    const [entry] = await json("audit", "list");
    expect(entry).toMatchObject({ action: "api_key_revoked", targetHint: next.hint });
  });

  test.each<[args: string[], code: number, says: string]>([
    [["--url", "http://gateway.example.com", "orgs", "list"], 2, "must start with https://"],
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

  slowTest("the process of a command on a server exits", async () => {
    const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: gateway.owner };
    expect(await spawnCli(NOWHERE, ["keys", "list"], "", env)).toMatchObject({ code: 0, signal: null });
  });
});
