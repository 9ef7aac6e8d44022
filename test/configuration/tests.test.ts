import Ajv from "ajv/dist/2020";
import { checkDocument } from "../../src/features/configuration/document/check-document";
import { CompiledConfiguration } from "../../src/features/configuration/document/compiled-configuration";
import {
  type ConfigurationDocument as Document,
  documentJsonSchema,
} from "../../src/features/configuration/document/format";
import { gapsOf } from "../../src/features/decisions/configuration-tests/coverage";
import { runTests } from "../../src/features/decisions/configuration-tests/run-tests";
import { slowTest } from "../support/slow-test";

const NOW = "2026-01-15T12:00:00Z";

const PARTS = {
  format: 1,
  situations: {
    "order.shipped": { data: { orderId: "string", total: "double" }, key: "orderId" },
    "order.unpaid": { orderId: "string" },
    question: {},
  },
  templates: {
    shipped: { text: "Hi {{ contact.name }}, {{ situation.data.orderId }} is on its way.", subject: "Order" },
    sorry: "Sorry!",
    instructions: "Answer.",
  },
  rules: [
    { id: "all", on: "*", when: ["contact != null"], do: [{ addTags: ["seen"] }], continue: true },
    {
      id: "vip",
      on: "order.shipped",
      when: ['"vip" in contact.tags', "situation.data.total > 100.0"],
      do: [{ send: "shipped", line: ["mail", "sms"] }],
      once: { per: "contact", within: "P1D" },
    },
    {
      id: "later",
      on: "order.shipped",
      when: ["contact != null && contact.attributes.later == true"],
      do: [
        {
          later: {
            situation: "order.unpaid",
            after: "PT1H",
            key: "pay-{{ situation.data.orderId }}",
            data: { orderId: "x" },
          },
        },
        { cancelTimer: "old" },
      ],
    },
    {
      id: "question",
      on: "question",
      do: [{ ask: { prompt: "instructions", tags: ["a", "b"], handoff: true } }],
    },
    { id: "failed", on: "message.failed", do: [{ resend: true, line: "sms" }] },
    {
      id: "answer",
      on: "message.received",
      when: ["message.text == 'Hi'"],
      do: [{ send: "sorry" }, { close: true }],
    },
  ],
  otherwise: [{ handoff: "no rule" }],
};

const ORDER = { type: "order.shipped", data: { orderId: "A1", total: 120 } };
const ANNA = { name: "Anna", tags: ["vip"] };
const of = (test: object, index = 0) => ({
  id: `t${index}`,
  now: NOW,
  situation: ORDER,
  contact: ANNA,
  ...test,
});
const documentOf = (tests: readonly object[], parts: object = {}) => ({
  ...PARTS,
  ...parts,
  tests: tests.map((test, index) => of(test, index)),
});

async function run(tests: readonly object[], parts: object = {}) {
  const { problems, document } = await checkDocument(documentOf(tests, parts));
  expect(problems).toEqual([]);
  if (document === undefined) throw new Error("The document has no valid structure.");
  return runTests(new CompiledConfiguration(document, true), document.tests ?? []);
}

const SENT = { template: "shipped", text: "Hi Anna, A1 is on its way.", subject: "Order", line: "sms" };
const isOfSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(documentJsonSchema());

test.each<[string, object]>([
  [
    "the rule that decides",
    { expect: { rule: "vip", outcome: "send", sends: [SENT], tags: ["seen", "vip"], timers: [] } },
  ],
  ["a part of a text", { expect: { sends: [{ contains: "A1 is" }] } }],
  ["otherwise", { contact: { name: "Anna" }, expect: { rule: null, outcome: "handoff", sends: [] } }],
  [
    "no contact, with effects that need one",
    { contact: undefined, expect: { rule: null, outcome: "failed" } },
  ],
  ["a rule that has matched too recently", { spent: ["vip"], expect: { rule: null } }],
  [
    "a human who answers",
    {
      conversation: { handler: "human" },
      expect: { rule: "vip", outcome: "silent", sends: [], tags: ["vip"] },
    },
  ],
  [
    "a human who answers the contact",
    { contact: { ...ANNA, handedOff: true }, expect: { rule: "vip", sends: [] } },
  ],
  [
    "timers",
    {
      contact: { attributes: { later: true } },
      timers: ["old", "other"],
      expect: {
        rule: "later",
        timers: [
          { key: "other" },
          { key: "pay-A1", situation: "order.unpaid", dueAt: "2026-01-15T14:00:00+01:00" },
        ],
      },
    },
  ],
  [
    "no model",
    { situation: { type: "question" }, expect: { rule: "question", outcome: "handoff", sends: [] } },
  ],
  [
    "the model's answer",
    {
      situation: { type: "question" },
      model: { text: "Yes", tags: ["b"] },
      expect: { sends: [{ template: null, text: "Yes" }], tags: ["b", "seen", "vip"] },
    },
  ],
  [
    "a model that hands off",
    { situation: { type: "question" }, model: { handoff: true }, expect: { outcome: "handoff" } },
  ],
  [
    "a model that fails",
    {
      situation: { type: "question" },
      model: { error: "model_timeout" },
      expect: { rule: "question", outcome: "handoff" },
    },
  ],
  [
    "a model that exceeds its limits",
    { situation: { type: "question" }, model: { text: "Yes", tags: ["c"] }, expect: { sends: [] } },
  ],
  [
    "a failed message",
    {
      situation: { type: "message.failed", data: { messageId: "m" } },
      failed: { text: "Hello" },
      conversation: {},
      expect: { rule: "failed", sends: [{ text: "Hello", line: "sms" }] },
    },
  ],
  [
    "a received message",
    {
      situation: { type: "message.received" },
      message: { text: "Hi" },
      expect: { rule: "answer", outcome: "send", sends: [{ template: "sorry" }] },
    },
  ],
  [
    "a loop",
    {
      situation: { type: "message.received" },
      message: { text: "Hi", answers: 5 },
      expect: { rule: "answer", outcome: "silent", sends: [] },
    },
  ],
  ["an undeclared situation", { situation: { type: "unknown" }, expect: { rule: null } }],
])("a test of %s passes", async (_, test) => {
  expect(isOfSchema(JSON.parse(JSON.stringify(documentOf([test]))))).toBe(true);
  expect(await run([test])).toMatchObject({ total: 1, failed: 0, differences: [] });
});

test.each<[string, object, outcome: string]>([
  ["`otherwise` applies", {}, "handoff"],
  ["nothing is done while a human answers", { conversation: { handler: "human" } }, "silent"],
  ["nothing is done in a loop", { message: { text: "Hi", answers: 5 } }, "failed"],
])("if the instructions for a model cannot be rendered, %s", async (_, test, outcome) => {
  const instructions = "Answer in the tone {{ contact.attributes.tone }}.";
  const received = { situation: { type: "message.received" }, message: { text: "Hi" } };
  const parts = {
    templates: { instructions },
    rules: [{ id: "answer", on: "message.received", do: [{ ask: { prompt: "instructions" } }] }],
  };
  const { differences } = await run([{ ...received, ...test, expect: { rule: "answer", outcome } }], parts);
  expect(differences).toEqual([]);
});

test.each([
  ["fr", "1 234,50 €, 12:00"],
  ["en", "€1,234.50, 12:00 PM"],
  ["he", "1,234.50 €, 12:00"],
])("the amount and the time in the locale %s are equal to %j", async (locale, text) => {
  const bill = 'Total: {{ 1234.5 | money: "EUR" }}, {{ now | time: "short" }}';
  const parts = { locale, templates: { ...PARTS.templates, shipped: { text: bill, subject: bill } } };
  const sends = [[{ text: `Total: ${text}`, subject: `Total: ${text}` }], [{ contains: text }]];
  const { differences } = await run(
    sends.map((each) => ({ expect: { sends: each } })),
    parts,
  );
  expect(differences).toEqual([]);
});

type Given = { ruleId?: string; clause?: number };
test.each<[expected: object, path: string, message: string, given?: Given & Record<string, unknown>]>([
  [
    { rule: "vip" },
    "rule",
    "expected rule vip, but clause 2 of vip (situation.data.total > 100.0) was false because situation.data.total is 90, and otherwise applied",
    { situation: { ...ORDER, data: { orderId: "A1", total: 90 } }, clause: 2 },
  ],
  [
    { rule: "vip" },
    "rule",
    'expected rule vip, but clause 1 of vip ("vip" in contact.tags) could not be evaluated (contact is null), and otherwise applied',
    { contact: undefined, clause: 1 },
  ],
  [
    { rule: "vip" },
    "rule",
    "expected rule vip, but vip has matched too recently, and otherwise applied",
    { spent: ["vip"] },
  ],
  [{ rule: "all" }, "rule", "expected rule all, but all continues, and rule vip decided", { ruleId: "all" }],
  [{ rule: "later" }, "rule", "expected rule later, but rule vip decided before it"],
  [
    { rule: "question" },
    "rule",
    "expected rule question, but question is for question, not for order.shipped, and rule vip decided",
    { ruleId: "question" },
  ],
  [{ rule: null }, "rule", "expected otherwise, but rule vip decided"],
  [{ outcome: "silent" }, "outcome", "expected the outcome silent, but rule vip had the outcome send"],
  [
    { outcome: "send" },
    "outcome",
    "expected the outcome send, but rule vip had the outcome silent: addTags of rule all was skipped (handed_off: A human is answering in the conversation, and the rule does not apply until the agent takes over again)",
    { conversation: { handler: "human" } },
  ],
  [
    { sends: [{ ...SENT, text: "Hi Bob, A1 is on its way." }] },
    "sends[0].text",
    'expected the text "Hi Bob, A1 is on its way.", but rule vip sent "Hi Anna, A1 is on its way."',
  ],
  [
    { sends: [{ contains: "late" }] },
    "sends[0].contains",
    'expected a text that contains "late", but rule vip sent "Hi Anna, A1 is on its way."',
  ],
  [
    { sends: [{ template: "sorry" }] },
    "sends[0].template",
    'expected the template "sorry", but rule vip sent "shipped"',
  ],
  [
    { sends: [{ subject: null }] },
    "sends[0].subject",
    'expected the subject none, but rule vip sent "Order"',
  ],
  [{ sends: [{ line: "main" }] }, "sends[0].line", 'expected the line "main", but rule vip sent "mail"'],
  [
    { sends: [SENT, SENT] },
    "sends[1]",
    "expected a message with the template shipped, but rule vip sent one message",
  ],
  [{ sends: [] }, "sends", 'expected no message, but rule vip also sent "Hi Anna, A1 is on its way."'],
  [{ tags: ["vip"] }, "tags", "expected the tags vip, but after rule vip they were seen, vip"],
  [{ timers: [{ key: "a" }] }, "timers[0]", 'expected the timer "a", but after rule vip no timer is waiting'],
  [{ timers: [] }, "timers", "expected no timer, but after rule vip a is waiting", { timers: ["a"] }],
])("%j differs at %s: %s", async (expected, path, message, given = {}) => {
  const { ruleId = "vip", clause = null, ...test } = given;
  expect((await run([{ ...test, expect: expected }])).differences).toEqual([
    { testId: "t0", path: `tests[0].expect.${path}`, message, ruleId, clause },
  ]);
});

test("the result of a test does not contain the conditions that were tried, which may be many", async () => {
  const { results } = await run([{ expect: { rule: "vip" } }]);
  expect(results).toEqual([{ testId: "t0", passed: true, ruleId: "vip", outcome: "send", differences: [] }]);
});

test("a situation that the configuration rejects is a difference, whatever the test expects", async () => {
  const { differences, results } = await run([
    { situation: { type: "order.shipped", data: {} }, expect: { rule: null } },
  ]);
  expect(differences).toEqual([
    {
      testId: "t0",
      path: "tests[0].situation",
      message:
        "the situation is rejected: situation.data.orderId is required, situation.data.total is required",
      ruleId: null,
      clause: null,
    },
  ]);
  expect(results).toMatchObject([{ passed: false, ruleId: null, outcome: null }]);
});

test.each<[object, string, string]>([
  [{ expect: {} }, "expect", "must contain an expectation"],
  [{ expcet: {} }, "expcet", 'is not a member of the format. Did you mean "expect"?'],
  [
    { expect: { rule: null, rules: null } },
    "expect.rules",
    'is not a member of the format. Did you mean "rule"?',
  ],
  [{ expect: { rule: "vp" } }, "expect.rule", 'is not the id of a rule. Did you mean "vip"?'],
  [
    { expect: { sends: [{ template: "shiped" }] } },
    "expect.sends[0].template",
    'is not the name of a template. Did you mean "shipped"?',
  ],
  [
    { expect: { sends: [{ text: "a", contains: "a" }] } },
    "expect.sends[0]",
    "must have either text or contains",
  ],
  [{ expect: { outcome: "sent" } }, "expect.outcome", 'must be "send" or "silent" or "handoff" or "failed"'],
  [{ now: "yesterday" }, "now", "must be a time such as 2026-01-31T12:00:00Z"],
  [{ spent: ["all"] }, "spent[0]", "is not the id of a rule with once"],
  [{ message: { text: "Hi" } }, "message", "must be used only with message.received"],
  [{ failed: { text: "Hi" } }, "failed", "must be used only with message.failed"],
  [{ model: { text: "a", error: "model_failed" } }, "model", "must have either an error or an answer"],
  [
    { contact: { handedOff: true }, conversation: {} },
    "contact.handedOff",
    "must not be used with a conversation, which has a handler",
  ],
  [{ contact: { locale: "xx-nowhere" } }, "contact.locale", "must be the BCP 47 tag of a known language"],
  [{ contact: { timezone: "Mars/One" } }, "contact.timezone", "must be an IANA time zone"],
  [
    { contact: { attributes: { a: "x".repeat(9_000) } } },
    "contact.attributes",
    "must have at most 8192 bytes as JSON",
  ],
  [
    { situation: { ...ORDER, data: { a: "x".repeat(33_000) } } },
    "situation.data",
    "must have at most 32768 bytes as JSON",
  ],
])("the test %j has a problem at %s", async (test, path, message) => {
  const { problems } = await checkDocument(documentOf([{ expect: { rule: null }, ...test }]));
  expect(problems).toEqual([{ path: `tests[0].${path}`, message: expect.stringContaining(message) }]);
});

test("an invalid test hides neither problems of other tests nor problems of rules", async () => {
  const { problems } = await checkDocument(
    documentOf([{ expect: 1 }, { expect: { rule: "vp" } }, { id: "t1", expect: { rule: null } }], {
      otherwise: [{ send: "shiped" }],
    }),
  );
  expect(problems.map(({ path }) => path)).toEqual([
    "otherwise[0].send",
    "tests[0].expect",
    "tests[1].expect.rule",
    "tests[2].id",
  ]);
});

test("a test of a situation that is not declared is worth a warning", async () => {
  const { warnings } = await checkDocument(
    documentOf([{ situation: { type: "order.shiped" }, expect: { rule: null } }]),
  );
  expect(warnings).toEqual([
    {
      path: "tests[0].situation.type",
      message: 'is not a declared situation. Did you mean "order.shipped"?',
    },
  ]);
});

test("tests may make a document larger, but the rest of it must not be larger", async () => {
  const text = (bytes: number) => ({
    situation: { type: "order.shipped", data: { a: "x".repeat(bytes) } },
    expect: { rule: null },
  });
  const problemsOf = async (document: object) => (await checkDocument(document)).problems;
  expect(await problemsOf(documentOf(Array.from({ length: 30 }, () => text(30_000))))).toEqual([]);
  expect(await problemsOf(documentOf(Array.from({ length: 40 }, () => text(30_000))))).toEqual([
    { path: "", message: "must have at most 1048576 bytes as JSON" },
  ]);
  expect(await problemsOf(documentOf([], { $schema: "x".repeat(300_000) }))).toEqual([
    { path: "", message: "must have at most 262144 bytes as JSON, excluding its tests" },
  ]);
  expect(
    await problemsOf(documentOf(Array.from({ length: 501 }, () => ({ expect: { rule: null } })))),
  ).toEqual([{ path: "tests", message: "must have at most 500 items" }]);
});

test("85,000 mistakes in 500 tests are reported up to the limit, in little time", async () => {
  const wrong = (count: number) => Array(count).fill(0);
  const tests = Array.from({ length: 500 }, () => ({
    contact: { tags: wrong(20), channels: wrong(20) },
    timers: wrong(20),
    spent: wrong(50),
    model: { tags: wrong(20) },
    expect: { tags: wrong(20), timers: wrong(20) },
  }));
  const before = process.cpuUsage();
  const { problems } = await checkDocument(documentOf(tests));
  expect(problems).toHaveLength(100);
  expect(problems[0]).toEqual({ path: "tests[0].contact.tags[0]", message: "must be a string" });
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
});

/** 200 rules for ten situations. Each rule sends its own text, and tests reach the even rules. */
const RULES = Array.from({ length: 200 }, (_, i) => ({
  id: `r${i}`,
  on: `s${i % 10}`,
  when: [`situation.data.total >= ${i}.0`, `situation.data.total < ${i + 1}.0`],
  do: [{ send: `t${i}` }],
}));
const MANY = {
  situations: Object.fromEntries(RULES.map(({ on }) => [on, { total: "double" }])),
  templates: Object.fromEntries(RULES.map((_, i) => [`t${i}`, `Text ${i}`])),
  rules: RULES,
};
const reaching = (i: number) => ({
  situation: { type: `s${i % 10}`, data: { total: i } },
  expect: { rule: `r${i}`, outcome: "send", sends: [{ text: `Text ${i}` }], tags: ["vip"] },
});
const TESTS = RULES.flatMap((_, i) => (i % 4 < 2 ? [reaching(i)] : []));

slowTest(
  "a wrong change to each of 200 rules is caught if a test covers it, and the coverage names the others",
  async () => {
    const { differences, coverage } = await run(TESTS, MANY);
    expect(differences).toEqual([]);
    const uncovered = new Set(coverage.flatMap(({ ruleId, matched }) => (matched === 0 ? ruleId : [])));
    expect([...uncovered]).toEqual([...RULES.flatMap(({ id }, i) => (i % 4 < 2 ? [] : id)), null]);
    expect(gapsOf(coverage)).toContain("rule r2 never matches");
    const changes = [
      (rule: object) => ({ ...rule, when: ["situation.data.total < 0.0"] }),
      (rule: object) => ({ ...rule, do: [{ send: "t1" }, { send: "t3" }] }),
      (rule: object) => ({ ...rule, on: "other", when: [] }),
      (rule: object) => ({ ...rule, do: [] }),
      (rule: object) => ({ ...rule, continue: true }),
    ];
    for (const [i, rule] of RULES.entries()) {
      const change = changes[i % changes.length] as (rule: object) => object;
      const rules = RULES.map((each) => (each === rule ? change(rule) : each));
      const tests = TESTS.filter(({ situation }) => situation.type === rule.on);
      const document = documentOf(tests, { ...MANY, rules }) as unknown as Document;
      const { failed } = runTests(new CompiledConfiguration(document, true), document.tests ?? []);
      expect([rule.id, failed > 0]).toEqual([rule.id, !uncovered.has(rule.id)]);
    }
  },
);

test("500 tests of 200 rules take less than 2 seconds", async () => {
  const { problems, document } = await checkDocument(
    documentOf(
      Array.from({ length: 500 }, (_, i) => reaching(i % 200)),
      MANY,
    ),
  );
  expect(problems).toEqual([]);
  if (document === undefined) throw new Error("The document has no valid structure.");
  const before = process.cpuUsage();
  const report = runTests(new CompiledConfiguration(document, true), document.tests ?? []);
  expect(report).toMatchObject({ total: 500, failed: 0 });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});
