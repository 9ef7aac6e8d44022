import { writeFile } from "node:fs/promises";
import { Permission } from "../../src/auth/permissions";
import { timestamp } from "../../src/common/time";
import { MemberIdentity } from "../../src/features/members/member-identity.entity";
import { auditLog } from "../support/audit";
import { sqlite, type TestDatabase } from "../support/engines";
import { mint, operator, signIn } from "../support/gateway";
import { addMember } from "../support/people";
import { type Ended, endProcesses, runCli, runCliAtTerminal, runCliForJson } from "../support/process";
import { slowTest } from "../support/slow-test";
import { describeGateway, suiteGateway } from "../support/suite";

afterEach(endProcesses);

describeGateway({ engine: "one" }, (gateway) => {
  const cli = (...args: string[]): Promise<Ended> => runCli(gateway.databaseUrl, args);
  const json = (...args: string[]) => runCliForJson(gateway.databaseUrl, ...args);

  test("a new organization, its agent, key and member work while the server runs", async () => {
    expect((await cli("orgs", "add", "--slug", "acme", "--name", "Acme")).stdout).toBe(
      "Created the organization acme.\n",
    );
    expect(await json("agents", "add", "--org", "acme", "--slug", "helper", "--name", "Helper")).toEqual({
      id: expect.any(String),
      slug: "helper",
      name: "Helper",
      organization: "acme",
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
    expect(agents.stdout).toMatch(
      /^ID +SLUG +NAME +ORGANIZATION +CREATED AT\n\S+ +helper +Helper +acme +\S+\n$/,
    );
  });

  test("a deactivated organization's keys are rejected from the next request on, until it is reactivated", async () => {
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
    expect((await cli("orgs", "reactivate", "sleepy")).stdout).toBe("sleepy is active.\n");
    expect((await whoami()).status).toBe(200);
  });

  test("a link signs a member in once, and a member can be unlinked from an account at the issuer", async () => {
    const { id: memberId, email } = await addMember(gateway);
    const { link } = await json("members", "sign-in-link", email);
    const open = () =>
      fetch(`${gateway.url}${new URL(link).pathname}`, { method: "POST", redirect: "manual" });
    expect([(await open()).status, (await open()).status]).toEqual([303, 401]);
    const identity = { memberId, issuer: "https://issuer.example.com", subject: "1", boundAt: timestamp() };
    await gateway.services.database.write((tx) => tx.insert(MemberIdentity, identity));
    expect(await json("members", "unlink", email)).toMatchObject({ email });
    const left = await gateway.services.database.read((reader) =>
      reader.countBy(MemberIdentity, { memberId }),
    );
    expect(left).toBe(0);
  });

  test("a single row is counted in the singular", async () => {
    expect((await cli("seed", "--pets", "1")).stdout).toBe("Added 1 pet.\n");
  });

  test("hundreds of pets are added", async () => {
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

  slowTest("shows a generated password, but not a given one", async () => {
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

  slowTest(
    "explains a failure or wrong usage in one line, with code 1 or 2 and nothing on standard output",
    async () => {
      const taken = ["keys", "create", "--agent", "first-agent", "--name", "taken"];
      const { hint } = JSON.parse((await cli([...taken, "--json"])).stdout);
      const agent = ["agents", "add", "--name", "x"];
      const member = ["members", "add", "--org", "first"];
      const key = ["keys", "create", "--agent", "first-agent", "--name", "x"];
      const audit = ["audit", "list", "--org", "first"];
      const cases: [code: number, args: string[], says: string, input?: string][] = [
        [2, ["orgs", "add", "--slug", "Bad Slug", "--name", "x"], "slug must be"],
        [1, ["orgs", "add", "--slug", "first", "--name", "x"], 'organization "first" already exists'],
        [1, ["orgs", "deactivate", "nowhere"], 'no organization "nowhere"'],
        [1, [...agent, "--org", "nowhere", "--slug", "x"], 'no organization "nowhere"'],
        [2, [...agent, "--org", "first", "--slug", "-x"], "slug must be"],
        [1, [...agent, "--org", "first", "--slug", "first-agent"], 'agent "first-agent" already exists'],
        [1, ["agents", "list", "--org", "nowhere"], 'no organization "nowhere"'],
        [2, [...member, "--email", "unknown"], "email must be an e-mail address"],
        [1, [...member, "--email", "OWNER@example.com"], "already exists"],
        [
          2,
          [...member, "--email", "a@example.com", "--password-stdin"],
          "password must have 12",
          "hunter2\n",
        ],
        [2, ["seed", "--pets", "many"], "--pets"],
        [2, ["seed", "--pets", "-1"], "--pets"],
        [2, ["nonsense"], "nonsense"],
        [2, ["--nonsense"], "nonsense"],
        [2, ["orgs", "list", "extra"], "too many arguments"],
        [1, ["keys", "create", "--agent", "unknown", "--name", "x"], 'There is no agent "unknown"'],
        [1, taken, "has this name"],
        [2, ["keys", "create", "--agent", "first-agent", "--name", " "], "name must not be empty"],
        [2, ["keys", "create", "--agent", "first-agent"], "--name"],
        ...["abc", "-5", "1e300", "1.5d", "1w", "0", "0d", "99999d", "1 d", "", "1D", "\u0661d"].map(
          (text): [number, string[], string] => [2, [...key, "--expires-in", text], "--expires-in"],
        ),
        ...["abc", "86401", "25h", "2d"].map((text): [number, string[], string] => [
          2,
          ["keys", "rotate", hint, "--grace", text],
          "--grace",
        ]),
        [1, ["keys", "revoke", "no-such-key"], 'There is no API key "no-such-key"'],
        [2, ["keys", "revoke"], "key"],
        [2, ["keys", "list", "--state", "nope"], "active, revoked, expired"],
        [2, [...key, "--scopes", "pets:raed"], "--scopes must be one of keys:manage, agents:manage"],
        [2, [...key, "--networks", "300.1.1.1/8"], "--networks must"],
        [2, ["keys", "update", hint], "name at least one setting to change"],
        [2, ["lines", "update", "--agent", "first-agent", "main"], "name at least one setting to change"],
        [2, ["webhooks", "update", "--org", "first", hint, "--json"], "name at least one setting to change"],
        [2, ["keys", "list", "--after", "nonsense"], "cursor"],
        [2, ["keys", "list", "--after", ""], "cursor"],
        [2, [...audit, "--after", "nonsense"], "cursor"],
        ...["yesterday", "999999999999d", "3600", "2026", "week 1"].map(
          (text): [number, string[], string] => [2, [...audit, "--since", text], "--since"],
        ),
        [2, ["keys", "liste"], "liste"],
      ];
      for (let i = 0; i < cases.length; i += 4) {
        await Promise.all(
          cases.slice(i, i + 4).map(async ([expected, args, says, input]) => {
            const { code, stdout, stderr } = await cli(args, input);
            expect({ args, code, stdout }).toEqual({ args, code: expected, stdout: "" });
            expect(stderr).toMatch(/^gateway: [^\n]+\n$/);
            expect(stderr).toContain(says);
            expect(stderr).not.toContain("hunter2");
          }),
        );
      }
    },
  );

  test("marks required options in the help", async () => {
    const { code, stdout } = await cli(["agents", "add", "--help"]);
    expect(code).toBe(0);
    const required = stdout.split("\n").filter((line) => line.includes("(required)"));
    expect(required.map((line) => line.trim().split(" ")[0])).toEqual(["--slug", "--name"]);
  });

  slowTest("accepts durations with a unit and plain seconds", async () => {
    const lifetimes = { "1d": 86_400, "12h": 43_200, "30m": 1_800, "90s": 90, "3600": 3_600 };
    for (const [text, seconds] of Object.entries(lifetimes)) {
      const create = ["keys", "create", "--agent", "first-agent", "--name", text, "--expires-in", text];
      const key = JSON.parse((await cli([...create, "--json"])).stdout);
      const lifetime = (Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / 1000;
      expect([text, Math.round(lifetime)]).toEqual([text, seconds]);
      const rotated = await cli([
        "keys",
        "rotate",
        key.hint,
        "--grace",
        text === "1d" ? "24h" : "1m",
        "--json",
      ]);
      expect(rotated).toMatchObject({ code: 0, stderr: "" });
    }
    const since = async (text: string) =>
      JSON.parse((await cli(["audit", "list", "--org", "first", "--since", text, "--json"])).stdout).length;
    expect(await since("1h")).toBeGreaterThan(10);
    expect(
      JSON.parse((await cli(["audit", "list", "--org", "first", "--until", "1h", "--json"])).stdout),
    ).toEqual([]);
  });

  test("prints JSON for every command that changes something", async () => {
    const json = async (...args: string[]) => JSON.parse((await cli([...args, "--json"])).stdout);
    expect(await json("seed", "--pets", "3")).toEqual({ added: 3 });
    expect(await json("migrate")).toEqual({ ran: [] });
    await json("members", "add", "--org", "first", "--email", "json@example.com");
    expect(await json("members", "permit", "json@example.com", "--manage")).toMatchObject({
      permissions: ["config:manage"],
    });
  });

  slowTest("lists 100 rows and says on standard error how to get the rest", async () => {
    const context = await operator(gateway);
    for (let i = 0; i < 120; i++)
      await gateway.services.agents.create(context, { slug: `paged-${i}`, name: "Paged" });
    for (let i = 0; i < 120; i++) await mint(gateway, { agent: "paged-0", name: `paged ${i}` });
    const lists = [
      ["agents", "list"],
      ["agents", "list", "--org", "first"],
      ["keys", "list", "--org", "first"],
      ["audit", "list", "--org", "first"],
    ];
    for (const list of lists) {
      const all = await cli([...list, "--all", "--json"]);
      expect(all.stderr).toBe("");
      const everything: { id: string }[] = JSON.parse(all.stdout);
      expect(everything.length).toBeGreaterThan(120);
      const pages: { id: string }[] = [];
      let after: string[] = [];
      do {
        const { code, stdout, stderr } = await cli([...list, "--json", ...after]);
        expect(code).toBe(0);
        pages.push(...JSON.parse(stdout));
        const cursor = /^There are more items\. Add --after (\S+) for the next 100, or --all\.\n$/.exec(
          stderr,
        )?.[1];
        if (cursor === undefined) expect(stderr).toBe("");
        after = cursor === undefined ? [] : ["--after", cursor];
      } while (after.length > 0);
      expect({ list, ids: pages.map(({ id }) => id) }).toEqual({ list, ids: everything.map(({ id }) => id) });
    }
    const rest = await cli(["agents", "list", "--org", "first", "--json"]);
    expect(JSON.parse(rest.stdout)).toHaveLength(100);
  });

  test("lists the agents of every organization without --org", async () => {
    const run = async (...args: string[]) => JSON.parse((await cli([...args, "--json"])).stdout);
    await run("orgs", "add", "--slug", "other", "--name", "Other");
    await run("agents", "add", "--org", "other", "--slug", "other-agent", "--name", "Other agent");
    const organizations = async (...args: string[]) => [
      ...new Set(
        (await run("agents", "list", "--all", ...args)).map(
          (each: { organization: string }) => each.organization,
        ),
      ),
    ];
    expect(await organizations()).toEqual(["first", "other"]);
    expect(await organizations("--org", "other")).toEqual(["other"]);
  });
});

describe("at a terminal", () => {
  const gateway = suiteGateway(sqlite);
  const type = (text: string, args: string[]): Promise<Ended> =>
    runCliAtTerminal(gateway.databaseUrl, args, text);
  const targets = async () => {
    const { hint } = await mint(gateway);
    const slug = `org-${hint.slice(-12).toLowerCase()}`;
    await gateway.services.organizations.create({ slug, name: "Asked" });
    const email = `${slug}@example.com`;
    await addMember(gateway, { email, permissions: [Permission.config_manage] });
    return { hint, slug, email };
  };
  /** Destructive commands, each with the beginning of its question. */
  const commands = ({
    hint,
    slug,
    email,
  }: {
    hint: string;
    slug: string;
    email: string;
  }): [string[], string][] => [
    [["keys", "rotate", hint], `Replace ${hint}`],
    [["keys", "revoke", hint], `Revoke ${hint}`],
    [["orgs", "deactivate", slug], `Deactivate ${slug}`],
    [["members", "revoke", email, "config:manage"], "Revoke config:manage"],
    [["members", "permit", email], "Revoke all permissions"],
    [["members", "reset-password", email], "Replace the password"],
  ];

  slowTest("destructive commands ask first, and do nothing without a yes", async () => {
    const asked = await targets();
    const newestEntry = async () => (await auditLog(gateway))[0].id;
    const before = await newestEntry();
    for (const [i, [args, question]] of commands(asked).entries()) {
      for (const answer of i > 0 ? ["n\n"] : ["n\n", "\n", "", "yes please\n", "\u0003", "\u0004"]) {
        const { code, stdout, stderr } = await type(answer, args);
        expect({ args, answer, code, stdout }).toEqual({ args, answer, code: 1, stdout: "" });
        expect(stderr).toContain(question);
        expect(stderr).toMatch(/gateway: canceled: nothing was changed\n$/);
      }
    }
    expect(await newestEntry()).toBe(before);
    expect(await gateway.services.organizations.bySlug(asked.slug)).toMatchObject({ deactivatedAt: null });
  });

  test.each(["y\n", "YES\n"])("%j continues", async (answer) => {
    const asked = await targets();
    for (const [args, question] of commands(asked)) {
      const { code, stdout, stderr } = await type(answer, args);
      expect({ args, code }).toEqual({ args, code: 0 });
      expect(stdout).not.toBe("");
      expect(stderr).toContain(question);
    }
  });

  test("with --yes or a grace period, commands ask nothing", async () => {
    const asked = await targets();
    for (const [args] of commands(asked)) {
      const { code, stderr } = await type("", [...args, "--yes"]);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    }
    const { hint } = await mint(gateway);
    expect(await type("", ["keys", "rotate", hint, "--grace", "1h"])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("on an unused database", () => {
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    testDatabase = await sqlite.createDatabase();
  });
  afterEach(() => testDatabase.drop());

  test("commands ask the user to run the migrations, which run once", async () => {
    const before = await runCli(testDatabase.url, ["keys", "list"]);
    expect(before).toMatchObject({ code: 1, stdout: "" });
    expect(before.stderr).toMatch(/^gateway: no database found at \/.*gateway\.sqlite: .*\n$/);
    await writeFile(testDatabase.url.slice("sqlite:".length), "");
    const empty = await runCli(testDatabase.url, ["keys", "list"]);
    expect(empty.stderr).toMatch(/^gateway: the database is not up to date: .*"gateway migrate".*\n$/);
    expect((await runCli(testDatabase.url, ["migrate"])).stdout).toMatch(/^Ran Initial\d+.*\.\n$/);
    expect((await runCli(testDatabase.url, ["migrate"])).stdout).toBe("The database is up to date.\n");
    expect((await runCli(testDatabase.url, ["keys", "list"])).stdout).toBe("No matching keys.\n");
  });

  test("a database that cannot be reached is named, without its password", async () => {
    const { code, stderr } = await runCli("postgres://user:hunter2@127.0.0.1:1/pets", ["orgs", "list"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gateway: cannot use the database postgres:\/\/127\.0\.0\.1:1\/pets [^\n]*\n$/);
    expect(stderr).not.toContain("hunter2");
  });
});
