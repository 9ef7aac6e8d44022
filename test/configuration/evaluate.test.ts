import { InvalidInput } from "../../src/errors";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { compile, decisionInput, documentWith } from "../support/configuration";

const DOCUMENT = {
  ...documentWith({}),
  templates: { thanks: "Thank you, {{ contact.name }}.", moment: "One moment." },
  rules: [
    { id: "tag", on: "*", do: [{ addTags: ["seen"] }], continue: true },
    {
      id: "large",
      on: "order.shipped",
      when: ['"vip" in contact.tags', "situation.data.total > 100.0"],
      do: [{ send: "thanks", line: "main", delaySeconds: 60 }, { removeTags: ["new"] }],
      once: { per: "contact", within: "P1D" },
    },
    {
      id: "words",
      on: "message.received",
      when: ['message.text.lowerAscii().contains("agent")'],
      do: [{ move: "sms" }],
    },
    { id: "failed", on: "message.failed", do: [{ close: true }] },
  ],
  otherwise: [{ send: "moment" }, { handoff: "no rule" }],
};

const kinds = (effects: readonly { kind: string }[]) => effects.map(({ kind }) => kind);

test("the first rule that matches decides, after matching rules that continue", async () => {
  const { ruleId, rules, effects } = evaluate(await compile(DOCUMENT), decisionInput());
  expect(ruleId).toBe("large");
  expect(rules).toMatchObject([
    { ruleId: "tag", matched: true, clauses: [] },
    {
      ruleId: "large",
      matched: true,
      clauses: [
        { value: true, read: [{ path: "contact.tags", value: ["vip"] }] },
        { value: true, read: [{ path: "situation.data.total", value: 120 }] },
      ],
    },
  ]);
  expect(effects).toEqual([
    { kind: "addTags", tags: ["seen"], ruleId: "tag", error: null },
    {
      kind: "send",
      template: "thanks",
      text: "Thank you, Anna.",
      line: "main",
      delaySeconds: 60,
      ruleId: "large",
      error: null,
    },
    { kind: "removeTags", tags: ["new"], ruleId: "large", error: null },
  ]);
});

test("if no rule decides, `otherwise` applies, and the explanation has the clause that failed", async () => {
  const { ruleId, rules, effects } = evaluate(await compile(DOCUMENT), decisionInput({ total: 90 }));
  expect(ruleId).toBeNull();
  expect(rules[1]).toMatchObject({
    ruleId: "large",
    matched: false,
    clauses: [{ value: true }, { value: false }],
  });
  expect(kinds(effects)).toEqual(["addTags", "send", "handoff"]);
});

test("a rule that has matched too recently does not match, and is marked as spent", async () => {
  const { ruleId, rules } = evaluate(await compile(DOCUMENT), { ...decisionInput(), spent: ["large"] });
  expect(ruleId).toBeNull();
  expect(rules[1]).toMatchObject({ ruleId: "large", matched: false, spent: true });
});

test.each([
  ["message.received", {}, { text: "An AGENT please", sequence: 1 }, ["addTags", "move"]],
  ["message.received", {}, { text: "Hello", sequence: 1 }, ["addTags", "send", "handoff"]],
  ["something.else", { deep: { a: [1] } }, null, ["addTags", "send", "handoff"]],
  ["message.failed", { messageId: "m" }, null, ["addTags", "close"]],
  ["conversation.released", {}, null, ["addTags"]],
])("the situation %s with %j and the message %j leads to %j", async (type, data, message, expected) => {
  const input = { ...decisionInput(), situation: { type, data }, message };
  expect(kinds(evaluate(await compile(DOCUMENT), input).effects)).toEqual(expected);
});

test("rules of a type that is not declared never fire", async () => {
  const configuration = await compile({
    format: 1,
    rules: [{ id: "a", on: "not.declared", do: [{ close: true }] }],
  });
  const input = { ...decisionInput(), situation: { type: "not.declared", data: {} } };
  expect(evaluate(configuration, input)).toEqual({ ruleId: null, rules: [], effects: [], steps: 0 });
});

test("a decision sends at most 10 messages, and the explanation says what happened to the others", async () => {
  const send = Array.from({ length: 6 }, () => ({ send: "moment" }));
  const rules = [
    { id: "a", on: "*", do: send, continue: true },
    { id: "b", on: "*", do: send },
  ];
  const { effects } = evaluate(await compile({ ...DOCUMENT, rules }), decisionInput());
  expect(effects.map(({ error }) => error?.code ?? null)).toEqual([
    ...Array(10).fill(null),
    "limit_reached",
    "limit_reached",
  ]);
});

const deep = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { a: deep(depth - 1) });

test.each([
  ["order.shipped", { total: "120" }, "situation.data.total must be a number"],
  ["order.shipped", { total: null }, "situation.data.total is required"],
  ["order.shipped", { totl: 1 }, "situation.data.totl is not declared by the configuration"],
  ["order.shipped", { count: 1.5 }, "situation.data.count must be a whole number"],
  ["order.shipped", { count: 2 ** 53 }, "situation.data.count must be between -(2^53 - 1) and 2^53 - 1"],
  ["order.shipped", { at: "yesterday" }, "situation.data.at must be a time such as 2026-01-31T12:00:00Z"],
  [
    "order.shipped",
    { at: "2026-02-30T00:00:00Z" },
    "situation.data.at must be a time such as 2026-01-31T12:00:00Z",
  ],
  ["order.shipped", { lines: [1] }, "situation.data.lines must be a list of strings"],
  ["order.shipped", { lines: Array(101).fill("") }, "situation.data.lines must have at most 100 items"],
  [
    "order.shipped",
    { text: "\ud800" },
    "situation.data.text must be well-formed Unicode without the NUL character",
  ],
  ["other", { big: { number: 1e300 } }, "situation.data.big.number must be between -(2^53 - 1) and 2^53 - 1"],
  ["other", { list: Array(101).fill(0) }, "situation.data.list must have at most 100 items"],
  ["other", { text: "x".repeat(33_000) }, "situation.data must have at most 32768 bytes as JSON"],
  ["other", deep(11), "situation.data must be nested at most 10 levels deep"],
  [
    "*",
    {},
    "situation.type must start with a letter and have at most 100 characters: a-z, 0-9 and single . _ - between them",
  ],
])("a situation %s with bad data is rejected with its path", async (type, data, message) => {
  const input = decisionInput(data);
  if (type !== "order.shipped") input.situation = { type, data };
  const configuration = await compile(DOCUMENT);
  expect(() => evaluate(configuration, input)).toThrow(InvalidInput);
  expect(() => evaluate(configuration, input)).toThrow(message);
});
