import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "../../src/features/configuration/document/canonical-json";
import { segmentsOf } from "../../src/features/configuration/document/problem";
import { INITIAL_DOCUMENT } from "../../src/features/configuration/initial-document";
import { version } from "../../src/version";
import { operatorOfAgent } from "../support/people";
import { type Ended, runCli, runCliForJson } from "../support/process";
import { describeGateway } from "../support/suite";

const DOCUMENT = { format: 1, rules: [{ id: "a", on: "*", do: [{ handoff: "\u202eüber 😀" }] }] };
const OTHER = { format: 1 };

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
});
afterAll(() => rm(directory, { recursive: true }));

let files = 0;
async function fileOf(content: unknown): Promise<string> {
  const file = join(directory, `${++files}.json`);
  await writeFile(
    file,
    typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2),
  );
  return file;
}

describe("gateway configuration check", () => {
  /** Checks a file without a database. */
  async function check(content: unknown, ...args: string[]) {
    const file = await fileOf(content);
    const ended = await runCli("sqlite:/nowhere/gateway.sqlite", ["configuration", "check", file, ...args]);
    return {
      ...ended,
      stdout: ended.stdout.replaceAll(file, "x.json"),
      stderr: ended.stderr.replaceAll(file, "x.json"),
    };
  }

  test("prints each problem with its path, and with its position in a condition or template", async () => {
    const document = {
      format: 1,
      templates: {
        long: `${"x".repeat(200)}\tÜ {{ nothing }} ${"y".repeat(200)}`,
        "a.b": "Dear\n\t{{ contact.nme }}",
      },
      rules: [{ id: "a", on: "*", when: ['"vip" in contact.tagz'], do: [{ send: "long" }, { send: "a.b" }] }],
      others: [],
    };
    const { code, stdout, stderr } = await check(document);
    expect([code, stderr]).toEqual([1, "gateway: x.json has 4 problems\n"]);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^x\.json:templates\.long: .*nothing/),
      `    ${"x".repeat(44)} Ü {{ nothing }} ${"y".repeat(39)}`,
      `    ${" ".repeat(50)}^`,
      expect.stringMatching(/^x\.json:templates\["a\.b"\]: .*nme/),
      "     {{ contact.nme }}",
      expect.stringMatching(/^ +\^$/),
      expect.stringMatching(/^x\.json:rules\[0\]\.when\[0\]: .*tagz/),
      '    "vip" in contact.tagz',
      "                     ^",
      'x.json:others: is not a member of the format. Did you mean "otherwise"?',
      "",
    ]);
  });

  test("accepts a valid document, with warnings", async () => {
    const document = { format: 1, templates: { "a-b": "x" } };
    expect(await check(document)).toMatchObject({
      code: 0,
      stdout: "x.json:templates.a-b: warning: is not used\nx.json is valid.\n",
      stderr: "",
    });
    const { code, stdout } = await check(document, "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { problems: [], warnings: [{ path: "templates.a-b", message: "is not used" }] },
    ]);
    expect(await check(`\ufeff${JSON.stringify(document)}`)).toMatchObject({ code: 0 });
    const invalid = await check({ format: 2 }, "--json");
    expect([invalid.code, JSON.parse(invalid.stdout)]).toEqual([
      1,
      { problems: [{ path: "format", message: "must be 1" }], warnings: [] },
    ]);
  });

  test.each([
    ["a comma at the end", '{\n  "format": 1,\n}', "x.json:3:1: Quoted object key"],
    ["a comment", '{\n  // first\n  "format": 1 }', "x.json:2:3: Quoted object key"],
    ["truncated JSON", '{ "format":', "x.json:1:12: "],
    ["a name twice", '{ "format": 1,\n "rules": [],\n "rules": [1] }', "x.json:3:3: Duplicate key 'rules'"],
    ["a list", "[]", "x.json: the document must be an object"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "x.json is not encoded in UTF-8"],
  ])("rejects %s in one line", async (_, content, message) => {
    const { code, stdout, stderr } = await check(content);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/^gateway: [^\n]+\n$/)]);
    expect(stderr).toContain(message);
  });

  const checkFile = (...[file, input]: [file: string, input?: string]) =>
    runCli("sqlite:/nowhere.sqlite", ["configuration", "check", file], input);

  test("rejects a file that does not exist, and a folder", async () => {
    expect(await checkFile("/no/file.json")).toMatchObject({
      code: 1,
      stderr: "gateway: /no/file.json does not exist\n",
    });
    expect(await checkFile("/")).toMatchObject({ code: 1, stderr: "gateway: / is a folder\n" });
  });

  test("reads standard input", async () => {
    expect(await checkFile("-", '{ "format": 1 }')).toMatchObject({
      code: 0,
      stdout: "standard input is valid.\n",
    });
    expect(await checkFile("-", '{ "format": 2 }')).toMatchObject({
      code: 1,
      stdout: "standard input:format: must be 1\n",
      stderr: "gateway: standard input has a problem\n",
    });
    expect(await checkFile("-", " ".repeat(5_000_000))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^gateway: standard input is larger than \d+ bytes\n$/),
    });
  });
});

describe("gateway configuration test", () => {
  const documentOf = (text: string) => ({
    format: 1,
    situations: { greeted: {} },
    templates: { hello: "Hello {{ contact.name }}" },
    rules: [{ id: "hello", on: "greeted", when: ["contact.name != null"], do: [{ send: "hello" }] }],
    tests: [
      {
        id: "anna",
        now: "2026-01-01T00:00:00Z",
        situation: { type: "greeted" },
        contact: { name: "Anna <&>" },
        expect: { rule: "hello", sends: [{ text }] },
      },
    ],
  });
  const run = async (content: unknown, ...args: string[]) => {
    const file = await fileOf(content);
    const ended = await runCli("sqlite:/nowhere/gateway.sqlite", ["configuration", "test", file, ...args]);
    return { ...ended, stdout: ended.stdout.replaceAll(file, "x.json") };
  };

  test("says that all tests pass, and reports gaps in their coverage", async () => {
    expect(await run(documentOf("Hello Anna <&>"))).toMatchObject({
      code: 0,
      stdout: "x.json: warning: clause 1 of rule hello is never false\nThe test passes.\n",
      stderr: "",
    });
  });

  test("prints differences, for people, programs and pipelines", async () => {
    const message = 'expected the text "Hi", but rule hello sent "Hello Anna <&>"';
    const junit = join(directory, "junit.xml");
    const { code, stdout, stderr } = await run(documentOf("Hi"), "--junit", junit);
    expect([code, stderr]).toEqual([1, "gateway: 1 of 1 test failed\n"]);
    expect(stdout.split("\n")[0]).toBe(`x.json:tests[0].expect.sends[0].text: anna: ${message}`);
    expect(await readFile(junit, "utf8")).toContain(
      '<failure message="tests[0].expect.sends[0].text: expected the text &quot;Hi&quot;, but rule hello sent &quot;Hello Anna &lt;&amp;&gt;&quot;"/>',
    );
    const json = await run(documentOf("Hi"), "--json");
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      1,
      {
        total: 1,
        failed: 1,
        results: [{ testId: "anna", passed: false, ruleId: "hello", outcome: "send" }],
        differences: [{ testId: "anna", message, ruleId: "hello", clause: null }],
        coverage: [{ ruleId: "hello", matched: 1, clauses: [{ met: 1, notMet: 0 }] }],
      },
    ]);
  });

  test("a document with problems is not tested", async () => {
    const { code, stdout } = await run({ format: 2 });
    expect([code, stdout]).toEqual([1, "x.json:format: must be 1\n"]);
  });

  test("loads neither the database nor GraphQL", () => {
    const script = `process.argv.push("gateway", "configuration", "test", "/no/file");
      process.on("exit", () => console.log(Object.keys(require.cache).filter((each) => /typeorm|type-graphql|apollo/.test(each)).length));
      require(${JSON.stringify(join(__dirname, "../../dist/src/cli/main"))});`;
    expect(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout).toBe("0\n");
  });
});

test.each([
  ["", []],
  ["rules[3].when[0]", ["rules", 3, "when", 0]],
  ['situations["order.shipped"].total', ["situations", "order.shipped", "total"]],
  ['situations["a\\"]b"]["c d"]', ["situations", 'a"]b', "c d"]],
])("the path %j has the segments %j", (path, segments) => {
  expect(segmentsOf(path)).toEqual(segments);
});

describeGateway({ engine: "one" }, (gateway) => {
  const cli = (...args: string[]): Promise<Ended> => runCli(gateway.databaseUrl, ["configuration", ...args]);
  const json = (...args: string[]) => runCliForJson(gateway.databaseUrl, "configuration", ...args);

  let agents = 0;
  /** Creates an agent through the command line. */
  async function newAgent() {
    const slug = `agent-of-files-${++agents}`;
    const made = await runCli(gateway.databaseUrl, [
      "agents",
      "add",
      "--org",
      "first",
      "--slug",
      slug,
      "--name",
      "A",
    ]);
    expect(made.code).toBe(0);
    const { id } = await gateway.services.agents.bySlug(slug);
    return { id, slug, context: await operatorOfAgent(gateway, id) };
  }

  test("a new agent has a version 1, which can be edited in a file and published", async () => {
    const { slug } = await newAgent();
    const { stdout } = await cli("get", "--agent", slug);
    expect(JSON.parse(stdout)).toEqual(INITIAL_DOCUMENT);
    expect(stdout).toMatch(/^\{\n {2}"format": 1,\n/);
    const file = await fileOf(stdout);
    expect((await cli("publish", file, "--agent", slug)).stdout).toBe(
      "Version 1 already contains this document.\n",
    );
    const changed = await fileOf(DOCUMENT);
    expect((await cli("publish", changed, "--agent", slug, "--note", "from git")).stdout).toBe(
      "Published version 2.\n",
    );
    expect(await json("get", "--agent", slug)).toEqual({
      version: 2,
      document: DOCUMENT,
      digest: digestOf(DOCUMENT),
      note: "from git",
      restoredFrom: null,
      publishedAt: expect.any(String),
      publishedBy: "command line",
    });
    // The output contains no terminal controls, but is still the same document.
    const printed = (await cli("get", "--agent", slug)).stdout;
    expect(printed).toContain("\\u202eüber 😀");
    expect(JSON.parse(printed)).toEqual(DOCUMENT);
    expect(JSON.parse((await cli("get", "--agent", slug, "--version", "1")).stdout)).toEqual(
      INITIAL_DOCUMENT,
    );
  });

  test("publishing keeps the draft, which can still be read", async () => {
    const { id, slug, context } = await newAgent();
    const without = await cli("get", "--agent", slug, "--draft");
    expect([without.code, without.stderr]).toEqual([1, `gateway: ${slug} has no draft\n`]);
    await gateway.services.configurations.saveDraft(context, id, { format: 0 }, 0);
    expect(await json("publish", await fileOf(OTHER), "--agent", slug)).toEqual({
      version: 2,
      digest: digestOf(OTHER),
      published: true,
      warnings: [],
    });
    expect(JSON.parse((await cli("get", "--agent", slug, "--draft")).stdout)).toEqual({ format: 0 });
  });

  test("an expected version that is no longer live is rejected, even for the live document", async () => {
    const { slug } = await newAgent();
    await json("publish", await fileOf(DOCUMENT), "--agent", slug, "--expect", "1");
    for (const document of [DOCUMENT, OTHER]) {
      const file = await fileOf(document);
      const rejected = await cli("publish", file, "--agent", slug, "--expect", "1");
      expect([rejected.code, rejected.stderr]).toEqual([1, "gateway: Version 2 is live.\n"]);
    }
    expect((await json("get", "--agent", slug)).version).toBe(2);
    expect(await json("publish", await fileOf(DOCUMENT), "--agent", slug, "--expect", "2")).toMatchObject({
      version: 2,
      published: false,
    });
  });

  test.each<[string, string[], number, RegExp]>([
    ["an unknown agent", ["get", "--agent", "nobody"], 1, /There is no agent "nobody"\./],
    ["an unknown version", ["get", "--agent", "first-agent", "--version", "9"], 1, /has no version 9/],
    ["an invalid version", ["get", "--agent", "first-agent", "--version", "x"], 2, /whole number/],
    [
      "both a version and the draft",
      ["get", "--agent", "first-agent", "--version", "1", "--draft"],
      2,
      /cannot/,
    ],
    ["no agent", ["get"], 2, /--agent/],
  ])("%s is rejected", async (_, args, code, reason) => {
    const ended = await cli(...args);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toMatch(reason);
  });

  test("the rejection of a note with a line break names its option", async () => {
    const { slug } = await newAgent();
    const ended = await cli("publish", await fileOf(OTHER), "--agent", slug, "--note", "a\nb");
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^gateway: --note /) });
  });

  test("a document with problems is not published", async () => {
    const { slug } = await newAgent();
    const file = await fileOf({ format: 1, rules: [{ id: "a", on: "*", when: ["contact.nme == ''"] }] });
    const { code, stdout, stderr } = await cli("publish", file, "--agent", slug);
    expect([code, stderr]).toEqual([1, `gateway: ${file} has a problem\n`]);
    expect(stdout).toContain(`${file}:rules[0].when[0]: `);
    expect((await json("get", "--agent", slug)).version).toBe(1);
  });

  test("a document whose tests fail is only published with a reason", async () => {
    const { slug } = await newAgent();
    const test = {
      id: "a",
      now: "2026-01-01T00:00:00Z",
      situation: { type: "b" },
      expect: { outcome: "send" },
    };
    const file = await fileOf({ format: 1, tests: [test] });
    const message = "expected the outcome send, but otherwise had the outcome silent";
    const { code, stdout, stderr } = await cli("publish", file, "--agent", slug);
    expect([code, stderr.replaceAll(file, "x.json")]).toEqual([
      1,
      "gateway: tests in x.json fail (use --ignore-tests <reason> to publish it anyway)\n",
    ]);
    expect(stdout).toContain(`${file}:tests[0].expect.outcome: a: ${message}\n`);
    const asJson = await cli("publish", file, "--agent", slug, "--json");
    expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([
      1,
      { tests: [{ testId: "a", message }] },
    ]);
    expect(await json("publish", file, "--agent", slug, "--ignore-tests", "later")).toMatchObject({
      version: 2,
      published: true,
    });
  });

  test("the program still prints its version", async () => {
    expect((await runCli(gateway.databaseUrl, ["--version"])).stdout).toBe(`${version}\n`);
  });
});
