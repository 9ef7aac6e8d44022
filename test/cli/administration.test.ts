import { writeFile } from "node:fs/promises";
import { sqlite, type TestDatabase } from "../support/engines";
import { signIn } from "../support/gateway";
import { type Ended, endProcesses, runCli } from "../support/process";
import { describeGateway, suiteGateway } from "../support/suite";

afterEach(endProcesses);

describeGateway((gateway) => {
  const cli = (...args: string[]): Promise<Ended> => runCli(gateway.databaseUrl, args);
  async function json(...args: string[]) {
    const { code, stdout, stderr } = await cli(...args, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  test("a new organization, its agent, key and member work while the server runs", async () => {
    expect((await cli("orgs", "add", "--slug", "acme", "--name", "Acme")).stdout).toBe(
      "Created the organization acme.\n",
    );
    expect(await json("agents", "add", "--org", "acme", "--slug", "helper", "--name", "Helper")).toEqual({
      id: expect.any(String),
      slug: "helper",
      name: "Helper",
      createdAt: expect.any(String),
    });
    const [key, member, agents] = await Promise.all([
      json("keys", "create", "--agent", "helper", "--name", "k"),
      json("members", "add", "--org", "acme", "--email", "Ann@Example.com", "--manage"),
      cli("agents", "list", "--org", "acme"),
    ]);
    expect((await gateway.rest("GET", "/agent/whoami", { token: key.secret })).body).toMatchObject({
      agent: { slug: "helper", name: "Helper" },
      organization: { slug: "acme", name: "Acme" },
    });
    expect(member).toEqual({
      id: expect.any(String),
      email: "ann@example.com",
      organization: "acme",
      password: expect.stringMatching(/^\w{20}$/),
      permissions: ["config:manage"],
    });
    const token = await signIn(gateway, member);
    const { body } = await gateway.graphql("{ apiKeys { edges { node { name } } } }", {}, { token });
    expect(body.data.apiKeys.edges).toEqual([{ node: { name: "k" } }]);
    expect(agents.stdout).toMatch(/^ID +SLUG +NAME +CREATED AT\n\S+ +helper +Helper +\S+\n$/);
  });

  test("a deactivated organization's keys resolve no more from the next request on, until it is reactivated", async () => {
    await json("orgs", "add", "--slug", "sleepy", "--name", "Sleepy");
    await json("agents", "add", "--org", "sleepy", "--slug", "sleepy-agent", "--name", "Agent");
    const { secret: token } = await json("keys", "create", "--agent", "sleepy-agent", "--name", "k");
    const whoami = () => gateway.rest("GET", "/agent/whoami", { token });
    expect((await whoami()).status).toBe(200);

    expect((await cli("orgs", "deactivate", "sleepy")).stdout).toBe("sleepy is deactivated.\n");
    expect(await whoami()).toMatchObject({ status: 401, body: { code: "key_not_resolvable" } });
    const listed = await json("orgs", "list");
    expect(listed).toContainEqual(expect.objectContaining({ slug: "sleepy", state: "deactivated" }));
    expect(listed).toContainEqual(expect.objectContaining({ slug: "first", state: "active" }));

    expect(await json("orgs", "reactivate", "sleepy")).toMatchObject({
      state: "active",
      deactivatedAt: null,
    });
    expect((await whoami()).status).toBe(200);
  });

  test("pets are added by the hundred", async () => {
    const before = await gateway.services.database.read((reader) => reader.query("SELECT id FROM pet"));
    expect((await cli("seed", "--pets", "250")).stdout).toBe("Added 250 pets.\n");
    const after = await gateway.services.database.read((reader) => reader.query("SELECT id FROM pet"));
    expect(after.length - before.length).toBe(250);
    expect((await gateway.rest("GET", "/v1/pets?limit=100")).body).toHaveLength(100);
  });
});

describe("the command line", () => {
  const gateway = suiteGateway(sqlite);
  const cli = (args: string[], input?: string): Promise<Ended> => runCli(gateway.databaseUrl, args, input);

  test("shows a generated password, and not one that it was given", async () => {
    const add = (email: string, ...more: string[]) => [
      ...["members", "add", "--org", "first", "--email", email],
      ...more,
    ];
    const password = "chosen by a person";
    const [madeUp, given] = await Promise.all([
      cli(add("made-up@example.com")),
      cli(add("given@example.com", "--password-stdin"), `${password}\n`),
    ]);
    const [, shown = ""] = /^password +(\S+)$/m.exec(madeUp.stdout) ?? [];
    expect(given).toMatchObject({ code: 0, stderr: "" });
    expect(given.stdout).not.toContain("assword");
    expect(given.stdout).not.toContain(password);
    expect(await signIn(gateway, { email: "made-up@example.com", password: shown })).toMatch(/^ags_/);
    expect(await signIn(gateway, { email: "given@example.com", password })).toMatch(/^ags_/);
  });

  test("tells in one line what cannot be done, with code 1 and nothing on standard output", async () => {
    const taken = ["keys", "create", "--agent", "first-agent", "--name", "taken"];
    const { hint } = JSON.parse((await cli([...taken, "--json"])).stdout);
    const agent = ["agents", "add", "--name", "x"];
    const member = ["members", "add", "--org", "first"];
    const cases: [args: string[], says: string, input?: string][] = [
      [["orgs", "add", "--slug", "Bad Slug", "--name", "x"], "slug must be"],
      [["orgs", "add", "--slug", "first", "--name", "x"], 'already an organization "first"'],
      [["orgs", "deactivate", "nowhere"], 'no organization "nowhere"'],
      [[...agent, "--org", "nowhere", "--slug", "x"], 'no organization "nowhere"'],
      [[...agent, "--org", "first", "--slug", "-x"], "slug must be"],
      [[...agent, "--org", "first", "--slug", "first-agent"], 'already an agent "first-agent"'],
      [[...member, "--email", "unknown"], "email must be an e-mail address"],
      [[...member, "--email", "OWNER@example.com"], "already a member"],
      [[...member, "--email", "a@example.com", "--password-stdin"], "password must have 12", "hunter2\n"],
      [["seed", "--pets", "many"], "--pets"],
      [["seed", "--pets", "-1"], "--pets"],
      [["nonsense"], "nonsense"],
      [["keys", "create", "--agent", "unknown", "--name", "x"], 'There is no agent "unknown"'],
      [taken, "has this name"],
      [["keys", "create", "--agent", "first-agent", "--name", " "], "name must not be empty"],
      [["keys", "create", "--agent", "first-agent"], "--name"],
      [["keys", "create", "--agent", "first-agent", "--name", "x", "--expires-in", "abc"], "--expires-in"],
      [["keys", "create", "--agent", "first-agent", "--name", "x", "--expires-in", "-5"], "--expires-in"],
      [["keys", "create", "--agent", "first-agent", "--name", "x", "--expires-in", "1e300"], "--expires-in"],
      [["keys", "rotate", hint, "--grace", "abc"], "--grace"],
      [["keys", "rotate", hint, "--grace", "86401"], "--grace"],
      [["keys", "revoke", "no-such-key"], 'There is no API key "no-such-key"'],
      [["keys", "list", "--state", "nope"], "active, revoked, expired"],
      [["keys", "liste"], "liste"],
    ];
    for (let i = 0; i < cases.length; i += 4) {
      await Promise.all(
        cases.slice(i, i + 4).map(async ([args, says, input]) => {
          const { code, stdout, stderr } = await cli(args, input);
          expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
          expect(stderr).toMatch(/^gateway: [^\n]+\n$/);
          expect(stderr).toContain(says);
          expect(stderr).not.toContain("hunter2");
        }),
      );
    }
  });
});

describe("on an unused database", () => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await sqlite.createDatabase();
  });
  afterEach(() => place.drop());

  test("commands ask for the migrations, which run once", async () => {
    const before = await runCli(place.url, ["keys", "list"]);
    expect(before).toMatchObject({ code: 1, stdout: "" });
    expect(before.stderr).toMatch(/^gateway: there is no database at \/.*gateway\.sqlite; .*\n$/);
    await writeFile(place.url.slice("sqlite:".length), "");
    const empty = await runCli(place.url, ["keys", "list"]);
    expect(empty.stderr).toMatch(/^gateway: the database is not up to date: .*"gateway migrate".*\n$/);
    expect((await runCli(place.url, ["migrate"])).stdout).toMatch(/^Ran Initial\d+.*\.\n$/);
    expect((await runCli(place.url, ["migrate"])).stdout).toBe("The database is up to date.\n");
    expect((await runCli(place.url, ["keys", "list"])).stdout).toBe("No matching keys.\n");
  });

  test("a database that cannot be reached is named, without its password", async () => {
    const { code, stderr } = await runCli("postgres://user:hunter2@127.0.0.1:1/pets", ["orgs", "list"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^gateway: the database postgres:\/\/127\.0\.0\.1:1\/pets cannot be used [^\n]*\n$/,
    );
    expect(stderr).not.toContain("hunter2");
  });
});
