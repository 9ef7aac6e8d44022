import fc from "./generated";
import { codePoint } from "./hostile-values";

const TYPES = ["order.shipped", "message.received", "message.failed", "other", "*"];

const clause = fc.oneof(
  fc.constantFrom(
    "true",
    "false",
    '"vip" in contact.tags',
    "situation.data.total > 100.0",
    "situation.data.text.contains(situation.data.text)",
    "situation.data.lines.exists(each, situation.data.text.contains(each))",
    "situation.data.lines.all(a, situation.data.lines.exists(b, a == b))",
    "contact.attributes.a.b.c == 1",
    "contact.attributes.list == contact.attributes.list",
    "contact.attributes.list.exists(each, each in contact.attributes.list)",
    "message.text.lowerAscii().contains('agent')",
    "message != null && message.sequence / 0 == 1",
    "now.getHours() < 12",
    "'a'.matches('(a+)+$')",
    "contact.constructor == null",
    "situation.__proto__ == null",
    `${"(".repeat(40)}true${")".repeat(40)}`,
    `size(${"situation.data.text + ".repeat(50)}"") > 0`,
  ),
  fc.string({ maxLength: 30, unit: codePoint }),
);

const template = fc.oneof(
  fc.constantFrom(
    "Hello",
    "{{ contact.name | default: 'there' }}",
    "{{ situation.data.total | round: 1 }}",
    "{% for a in situation.data.lines %}{% for b in situation.data.lines %}{{ a }}{% endfor %}{% endfor %}",
    "{% for a in contact.attributes.list %}{% for b in contact.attributes.list %}{% endfor %}{% endfor %}",
    "{{ situation.data.text | replace: 'a', situation.data.text }}",
    "{{ contact.attributes.constructor }}",
    "{% include 'x' %}",
    "{{ contact.attributes }}",
    "{{ now | date: '%F %e' }}",
    "{{ (1..9) }}",
  ),
  fc.string({ maxLength: 30, unit: codePoint }).map((text) => `{{ ${text} }}`),
);

const effect = fc.oneof(
  fc.record({ send: fc.constantFrom("one", "two", "three") }),
  fc.constantFrom<object>(
    { addTags: ["a"] },
    { handoff: "a" },
    { close: true },
    { move: "main" },
    { ask: { prompt: "one" } },
    {},
    { send: 1 },
  ),
);

const rule = fc.record(
  {
    id: fc.constantFrom(..."abcdefgh"),
    on: fc.constantFrom(...TYPES),
    when: fc.array(clause, { maxLength: 3 }),
    do: fc.array(effect, { maxLength: 3 }),
    continue: fc.boolean(),
    once: fc.constantFrom({ per: "contact", within: "P1D" }, { per: "contact", within: "never" }),
  },
  { requiredKeys: ["id", "on"] },
);

/** Documents, most of them with problems. */
export const anyDocument = fc.record(
  {
    format: fc.constantFrom(1, 1, 1, 1, 1, 1, 2),
    situations: fc.constantFrom<object>(
      { "order.shipped": { total: "double", text: "string?", lines: "list<string>" } },
      { "order.shipped": {} },
      { "message.received": {} },
      { "order.shipped": { total: "float" } },
    ),
    templates: fc.dictionary(fc.constantFrom("one", "two", "three"), template, { noNullPrototype: true }),
    rules: fc.array(rule, { maxLength: 6 }),
    otherwise: fc.array(effect, { maxLength: 2 }),
    burstSeconds: fc.constantFrom(0, 2, 1e9),
  },
  { requiredKeys: ["format"] },
);

/** Conditions for situations of a type; some have no value, and some are expensive. */
const COMMON_CLAUSES = [
  "true",
  "false",
  '"vip" in contact.tags',
  "contact == null || contact.attributes.a.b.c == 1",
  "contact.attributes.list == contact.attributes.list",
  "contact.attributes.list.exists(each, each in contact.attributes.list)",
  "now.getHours() < 13",
];
const CLAUSES: Readonly<Record<string, readonly string[]>> = {
  "order.shipped": [
    "situation.data.total > 100.0",
    "situation.data.text.contains(situation.data.text)",
    "situation.data.lines.exists(each, situation.data.text.contains(each))",
    `size(${"situation.data.text + ".repeat(50)}"") > 0`,
  ],
  "message.received": ["message.text.lowerAscii().contains('agent')", "message.sequence / 0 == 1"],
  "message.failed": ["situation.data.messageId == 'm'", "situation.data.errorCode == null"],
  other: [],
  "*": ["situation.data.total > 100.0", "message != null && message.text == ''"],
};

const validRule = fc.constantFrom(...TYPES).chain((on) =>
  fc.record({
    on: fc.constant(on),
    when: fc.array(fc.constantFrom(...COMMON_CLAUSES, ...(CLAUSES[on] ?? [])), { maxLength: 3 }),
    do: fc.array(
      fc.constantFrom<object>(
        { send: on === "order.shipped" || on === "*" ? "order" : "common" },
        { send: "loop" },
        { addTags: ["a"] },
        { handoff: "a" },
      ),
      { maxLength: 3 },
    ),
    continue: fc.boolean(),
  }),
);

/** Documents without problems, some of them expensive. */
export const validDocument = fc.record({
  format: fc.constant(1),
  situations: fc.constant({ "order.shipped": { total: "double", text: "string?", lines: "list<string>" } }),
  templates: fc.record({
    common: fc.constantFrom("Hello", "{{ contact.name | default: 'there' }}", "{{ now | date: '%F %e' }}"),
    order: fc.constantFrom(
      "{{ situation.data.total | round: 1 }}",
      "{{ situation.data.text | replace: 'a', situation.data.text }}",
    ),
    loop: fc.constantFrom(
      "{% for a in contact.attributes.list %}{% for b in contact.attributes.list %}{% endfor %}{% endfor %}",
      "{{ contact.attributes.constructor }}",
      "{{ contact.attributes }}",
      "{{ contact.attributes.list | join: contact.name }}",
    ),
  }),
  rules: fc
    .array(validRule, { maxLength: 6 })
    .map((rules) => rules.map((each, index) => ({ id: `r${index}`, ...each }))),
  otherwise: fc.constantFrom<object[]>([], [{ send: "common" }, { handoff: "no rule" }]),
});

const LONG = "a".repeat(15_000);

const data = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Record<string, unknown>>({ total: 120, lines: ["a", "b"] }) },
  fc.constantFrom<Record<string, unknown>>(
    {},
    { total: 120, lines: [] },
    { total: 1, text: LONG, lines: Array(100).fill("a".repeat(100)) },
    { total: 2 ** 60 },
    { messageId: "m" },
  ),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
);

const attributes = fc.constantFrom<Record<string, unknown>>(
  {},
  { list: Array(2_000).fill(1) },
  { a: { b: { c: 1 } } },
  JSON.parse('{"__proto__": {"constructor": 1}}'),
);

/** Situations about a contact with attributes; some are accepted by no document. */
export const situation = fc.record({
  type: fc.constantFrom(...TYPES),
  data,
  attributes,
  message: fc.constantFrom(null, { text: "An agent please", sequence: 1 }),
  hasContact: fc.boolean(),
});
