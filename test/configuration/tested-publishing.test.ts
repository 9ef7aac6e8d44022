import { agentClient } from "../support/agents";
import { auditLog } from "../support/audit";
import { configurationClient } from "../support/configuration";
import { mint } from "../support/gateway";
import { codeOf } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

/** Returns a document with a number of tests; the first `failing` tests fail. */
const documentOf = (tests: number, failing = 0) => ({
  format: 1,
  situations: { greeted: { a: "string?" } },
  templates: { hello: "Hello {{ contact.name }}" },
  rules: [{ id: "hello", on: "greeted", when: ["contact.name != null"], do: [{ send: "hello" }] }],
  tests: Array.from({ length: tests }, (_, at) => ({
    id: `t${at}`,
    now: "2026-01-01T00:00:00Z",
    situation: { type: "greeted" },
    contact: { name: at < failing ? null : "Anna" },
    expect: { rule: "hello", sends: [{ contains: "Anna" }] },
  })),
});

const WHY_NOT =
  "expected rule hello, but clause 1 of hello (contact.name != null) was false because contact.name is null, and otherwise applied";
const difference = (at: number) => ({
  ...{ testId: `t${at}`, path: `tests[${at}].expect.rule` },
  ...{ message: WHY_NOT, ruleId: "hello", clause: 1 },
});

/** Returns a failing test's other difference. */
const unsent = (at: number) => ({
  testId: `t${at}`,
  path: `tests[${at}].expect.sends[0]`,
  message: "expected a message, but otherwise sent no message",
  ruleId: null,
  clause: null,
});

const RESULTS = `total failed results { testId passed ruleId outcome } differences { testId path message ruleId clause }
  coverage { ruleId matched clauses { met notMet } }`;

describeGateway({ engine: "one" }, (gateway) => {
  const configurations = () => configurationClient(gateway);

  const newAgent = () => agentClient(gateway).add();
  const publish = (agentId: string, more: object = {}) =>
    gateway.graphql(
      "mutation ($input: PublishConfigurationInput!) { publishConfiguration(input: $input) { version } }",
      { input: { agentId, expectedLiveVersion: 1, ...more } },
      { token: gateway.owner },
    );
  const run = async (agentId: string, against?: object) => {
    const { body } = await gateway.graphql(
      `query ($agentId: ID, $against: ReplayAgainst) {
        runConfigurationTests(agentId: $agentId, against: $against) { ${RESULTS} }
      }`,
      { agentId, against },
      { token: gateway.owner },
    );
    return body.data?.runConfigurationTests ?? body.errors[0];
  };

  test("a document whose tests fail is not published, and the first differences say why", async () => {
    const { id } = await newAgent();
    await configurations().save(id, documentOf(20, 12), 0);
    const { body } = await publish(id);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining(`tests[0].expect.rule (t0) ${WHY_NOT}`),
      extensions: {
        code: "invalid_request",
        tests: [0, 1, 2, 3, 4].flatMap((at) => [difference(at), unsent(at)]),
      },
    });
    expect((await configurations().read(id)).body.data.configuration.version).toBe(1);
    expect((await configurations().draft(id)).body.data.configurationDraft.revision).toBe(1);
  });

  test("failed tests are ignored for a reason, which is audited only if a test failed", async () => {
    const failing = await newAgent();
    const passing = await newAgent();
    for (const [{ id }, failed] of [
      [failing, 1],
      [passing, 0],
    ] as const) {
      await configurations().save(id, documentOf(1, failed), 0);
      const { body } = await publish(id, { ignoreTests: "The shop is down" });
      expect(body.data.publishConfiguration).toEqual({ version: 2 });
    }
    const ignored = async ({ id }: { id: string }) => {
      const [entry] = await auditLog(gateway, { targetId: id, action: "configuration_published" });
      return entry.changes.filter(({ field }: { field: string }) => field === "ignoredTests");
    };
    expect(await ignored(failing)).toEqual([
      { field: "ignoredTests", before: null, after: "The shop is down" },
    ]);
    expect(await ignored(passing)).toEqual([]);
  });

  test("a rollback publishes a version whose tests fail", async () => {
    const { id } = await newAgent();
    await configurations().save(id, documentOf(1, 1), 0);
    await publish(id, { ignoreTests: "x" });
    expect((await publish(id, { expectedLiveVersion: 2, fromVersion: 1 })).body.data).not.toBeNull();
    expect((await publish(id, { expectedLiveVersion: 3, fromVersion: 2 })).body.data).toEqual({
      publishConfiguration: { version: 4 },
    });
  });

  test.each([
    ["an empty reason", ""],
    ["a reason with a line break", "a\nb"],
    ["a reason that is too long", "x".repeat(501)],
  ])("%s is invalid", async (_, ignoreTests) => {
    const { id } = await newAgent();
    expect(codeOf(await publish(id, { ignoreTests }))).toBe("invalid_request");
  });

  test("members run the tests of the live version, the draft or a document, and keys run their own agent's tests", async () => {
    const { id, slug } = await newAgent();
    const { secret: token } = await mint(gateway, { agent: slug });
    const none = { total: 0, failed: 0, results: [], differences: [] };
    expect(await run(id)).toMatchObject(none);
    await configurations().save(id, documentOf(2, 1), 0);
    const results = {
      total: 2,
      failed: 1,
      results: [
        { testId: "t0", passed: false, ruleId: null, outcome: "silent" },
        { testId: "t1", passed: true, ruleId: "hello", outcome: "send" },
      ],
      differences: [difference(0), unsent(0)],
      coverage: [{ ruleId: "hello", matched: 1, clauses: [{ met: 1, notMet: 1 }] }],
    };
    expect(await run(id, { draft: true })).toEqual(results);
    expect(await run(id, { document: documentOf(2, 1) })).toEqual(results);
    await publish(id, { ignoreTests: "x" });
    for (const against of [undefined, { version: 2 }]) expect(await run(id, against)).toEqual(results);

    const post = (body: object) => gateway.rest("POST", "/agent/configuration/tests", { token, body });
    for (const body of [{}, { against: { version: 2 } }, { against: { document: documentOf(2, 1) } }]) {
      const { status, body: answer } = await post(body);
      expect([status, answer]).toEqual([200, JSON.parse(JSON.stringify(results, withoutNull))]);
    }
    expect((await post({ against: { version: 9 } })).status).toBe(404);
    expect((await post({ against: { draft: true } })).body).toMatchObject({ code: "invalid_request" });
    expect((await post({ against: { document: { format: 2 } } })).body.message).toContain(
      "against.document.format must be 1",
    );
  });

  test("at most 100 differences are returned, and all tests are counted", async () => {
    const { id } = await newAgent();
    const { failed, differences, results } = await run(id, { document: documentOf(300, 200) });
    expect([failed, differences.length, results.length]).toEqual([200, 100, 300]);
  });

  slowTest("a document of 1 MiB with its tests is saved, published and read back", async () => {
    const { id } = await newAgent();
    const document = documentOf(500);
    const room = 1024 * 1024 - Buffer.byteLength(JSON.stringify(document));
    for (const test of document.tests.slice(1, 31))
      Object.assign(test.situation, { data: { a: "x".repeat(Math.floor(room / 31)) } });
    const rest = 1024 * 1024 - Buffer.byteLength(JSON.stringify(document));
    Object.assign(document.tests[0]?.situation as object, { data: { a: "x".repeat(rest - 16) } });
    expect(Buffer.byteLength(JSON.stringify(document))).toBe(1024 * 1024);
    await configurations().save(id, document, 0);
    expect((await run(id, { draft: true })).failed).toBe(0);
    expect((await publish(id)).body.data.publishConfiguration).toEqual({ version: 2 });
    expect((await configurations().read(id)).body.data.configuration.document).toEqual(document);
  });
});

/** REST omits members without a value. */
const withoutNull = (_: string, value: unknown) => (value === null ? undefined : value);
