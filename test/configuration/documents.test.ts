import Ajv from "ajv/dist/2020";
import * as suggestions from "graphql/jsutils/suggestionList";
import { Token } from "liquidjs";
import { mintApiKey, mintSessionToken } from "../../src/credentials/token-format";
import { checkDocument } from "../../src/features/configuration/document/check-document";
import { documentJsonSchema } from "../../src/features/configuration/document/format";
import { slowTest } from "../support/slow-test";

const RULE = { id: "a", on: "*" };
const WINDOW = { days: "mon-fri", from: "08:00", to: "20:00" };
const TOPIC = { title: "Newsletter", default: "out" };
const of = (parts: object) => ({ format: 1, ...parts });

/** The example from the documentation. */
const EXAMPLE = {
  format: 1,
  defaultContact: null,
  burstSeconds: 2,
  situations: { "order.shipped": { orderId: "string", total: "double", tracking: "string?" } },
  templates: {
    shipped: 'Hi {{ contact.name | default: "there" }}, order {{ situation.data.orderId }} is on its way.',
    "one-moment": { text: "One moment please.", topic: "orders" },
  },
  policy: {
    zone: "Europe/Zurich",
    windows: [WINDOW, { from: "22:00", to: "02:00" }, { days: "sat", from: "00:00", to: "24:00" }],
    caps: [
      { max: 2, within: "P7D", topics: ["news"] },
      { max: 9, within: "P7D" },
    ],
    topics: {
      news: { title: "Newsletter", default: "out" },
      orders: { title: "Your orders", default: "in" },
    },
  },
  rules: [
    {
      id: "vip-shipped",
      on: "order.shipped",
      when: ['"vip" in contact.tags', "situation.data.total > 100.0"],
      do: [{ send: "shipped" }, { addTags: ["shipped"] }],
      once: { per: "contact", within: "P1D" },
    },
    {
      id: "human",
      on: "message.received",
      when: ['message.text.lowerAscii().contains("agent")'],
      do: [{ send: "one-moment", topic: "news" }, { handoff: "asked for a person" }],
    },
  ],
  otherwise: [{ handoff: "no rule" }],
};

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const isOfSchema = ajv.compile(documentJsonSchema());

test("the example is valid, for the gateway and for editors", async () => {
  expect(await checkDocument(EXAMPLE)).toMatchObject({ problems: [], warnings: [] });
  expect(isOfSchema(EXAMPLE)).toBe(true);
  expect(isOfSchema(of({ $schema: "https://example.com/agent/configuration/schema" }))).toBe(true);
  expect(await checkDocument(of({}))).toMatchObject({ problems: [], warnings: [] });
});

/** Documents with an invalid structure, which editors also detect. */
const MALFORMED: [object, string, string][] = [
  [{}, "format", "is required"],
  [{ format: 2 }, "format", "must be 1"],
  [JSON.parse('{"format":1,"templates":{"__proto__":"x"}}'), "templates.__proto__", "is not an allowed name"],
  [of({ rule: [] }), "rule", "is not a member of the format"],
  [of({ rules: {} }), "rules", "must be a list"],
  [of({ rules: [{ on: "*" }] }), "rules[0].id", "is required"],
  [
    of({ rules: [{ ...RULE, id: "A b" }] }),
    "rules[0].id",
    "must be a name of a-z and 0-9, with single . _ - between them",
  ],
  [
    of({ rules: [{ ...RULE, on: "Order" }] }),
    "rules[0].on",
    "must be a name of a-z and 0-9, with single . _ - between",
  ],
  [of({ rules: [{ ...RULE, on: 1 }] }), "rules[0].on", "must be * or the type of a situation"],
  [of({ policy: [] }), "policy", "must be an object"],
  [of({ policy: { window: [] } }), "policy.window", 'is not a member of the format. Did you mean "windows"?'],
  [of({ policy: { windows: [] } }), "policy.windows", "must have at least 1 item"],
  [
    of({ policy: { windows: [{ ...WINDOW, day: "mon" }] } }),
    "policy.windows[0].day",
    'is not a member of the format. Did you mean "days"?',
  ],
  [
    of({ policy: { windows: [WINDOW, { ...WINDOW, days: "mon-fry" }] } }),
    "policy.windows[1].days",
    "must be days such as mon-fri, sat, or mon,wed,fri-sun",
  ],
  [of({ policy: { windows: [{ from: "8:00", to: "20:00" }] } }), "policy.windows[0].from", "must be a time"],
  [of({ policy: { windows: [{ from: "24:00", to: "20:00" }] } }), "policy.windows[0].from", "must be a time"],
  [of({ policy: { windows: [{ from: "08:00", to: "24:01" }] } }), "policy.windows[0].to", "must be a time"],
  [of({ policy: { windows: [{ from: "08:00" }] } }), "policy.windows[0].to", "is required"],
  [of({ policy: { caps: [{ max: 0, within: "P7D" }] } }), "policy.caps[0].max", "must be at least 1"],
  [of({ policy: { topics: { News: TOPIC } } }), "policy.topics.News", "has an invalid name"],
  [
    of({ policy: { topics: { ["a".repeat(64)]: TOPIC } } }),
    `policy.topics.${"a".repeat(64)}`,
    "has an invalid name: it must have at most 63 characters",
  ],
  [
    of({ policy: { topics: { news: { ...TOPIC, title: " " } } } }),
    "policy.topics.news.title",
    "must not be empty",
  ],
  [of({ policy: { topics: { news: { title: "News" } } } }), "policy.topics.news.default", "is required"],
  [
    of({ policy: { topics: { news: { ...TOPIC, default: "no" } } } }),
    "policy.topics.news.default",
    'must be "in" or "out"',
  ],
  [
    of({ policy: { topics: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`t${i}`, TOPIC])) } }),
    "policy.topics",
    "must have at most 20 members",
  ],
  [of({ policy: { caps: [{ max: 2.5, within: "P7D" }] } }), "policy.caps[0].max", "must be a whole number"],
  [of({ rules: [{ ...RULE, when: "true" }] }), "rules[0].when", "must be a list"],
  [of({ rules: [{ ...RULE, when: [1] }] }), "rules[0].when[0]", "must be a string"],
  [of({ rules: [{ ...RULE, when: Array(21).fill("true") }] }), "rules[0].when", "must have at most 20 items"],
  [
    of({ rules: [{ ...RULE, when: ["x".repeat(2_001)] }] }),
    "rules[0].when[0]",
    "must have at most 2000 characters",
  ],
  [
    of({ rules: [{ ...RULE, do: [{ text: "a" }] }] }),
    "rules[0].do[0]",
    "must have one of send, addTags, removeTags, move, handoff, close, ask",
  ],
  [
    of({ rules: [{ ...RULE, do: [{ handoff: "a", send: "b" }] }] }),
    "rules[0].do[0].handoff",
    "is not a member",
  ],
  [of({ rules: [{ ...RULE, do: [{ close: false }] }] }), "rules[0].do[0].close", "must be true"],
  [of({ otherwise: [{ addTags: ["A"] }] }), "otherwise[0].addTags[0]", "must be a tag in lower case"],
  [of({ otherwise: [{ addTags: [] }] }), "otherwise[0].addTags", "must have at least 1 item"],
  [of({ otherwise: [{ handoff: "a", __proto__x: 1 }] }), "otherwise[0].__proto__x", "is not a member"],
  [of({ situations: { "a.b": { c: "text" } } }), 'situations["a.b"].c', 'must be "string"'],
  [of({ situations: { "A b": {} } }), 'situations["A b"]', "has an invalid name"],
  [of({ situations: { a: { "b c": "string" } } }), 'situations.a["b c"]', "has an invalid name"],
  [of({ situations: { on: 1 } }), "situations.on", "must be an object"],
  [of({ situations: { a: { data: { b: "text" } } } }), "situations.a.data.b", 'must be "string"'],
  [of({ situations: { a: { data: {}, keys: "b" } } }), "situations.a.keys", 'Did you mean "key"?'],
  [of({ situations: { a: { data: {}, key: 1 } } }), "situations.a.key", "must be a string"],
  [of({ situations: { a: { key: "b" } } }), "situations.a.key", 'must be "string"'],
  [of({ templates: { a: "" } }), "templates.a", "must have at least 1 character"],
  [of({ templates: { a: 1 } }), "templates.a", "must be a string, or an object with a text"],
  [of({ templates: { a: { subject: "b" } } }), "templates.a.text", "is required"],
  [of({ templates: { a: { text: "b", sbject: "c" } } }), "templates.a.sbject", 'Did you mean "subject"?'],
  [
    of({ templates: { a: { text: "b", locales: { de: "c" } } } }),
    "templates.a.locales.de",
    "must be an object",
  ],
  [
    of({ templates: { a: { text: "b", locales: { de: { text: "c", sbject: "d" } } } } }),
    "templates.a.locales.de.sbject",
    'Did you mean "subject"?',
  ],
  [
    of({ templates: { a: { text: "b", locales: { "de CH": { text: "c" } } } } }),
    'templates.a.locales["de CH"]',
    "must be a BCP 47 tag such as de-CH",
  ],
  [
    of({ otherwise: [{ send: "a", delaySeconds: 7_776_001 }] }),
    "otherwise[0].delaySeconds",
    "must be at most 7776000",
  ],
  [of({ burstSeconds: 1.5 }), "burstSeconds", "must be a whole number"],
  [of({ burstSeconds: 61 }), "burstSeconds", "must be at most 60"],
  [of({ defaultContact: 1 }), "defaultContact", "must be a string"],
  [
    of({ rules: Array.from({ length: 201 }, (_, i) => ({ ...RULE, id: `r${i}` })) }),
    "rules",
    "must have at most 200",
  ],
  [
    of({ templates: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`t${i}`, "x"])) }),
    "templates",
    "must have at most 200 members",
  ],
];

test.each(MALFORMED)("%j has a problem at %s", async (document, path, message) => {
  const { problems } = await checkDocument(document);
  expect(problems).toContainEqual({ path, message: expect.stringContaining(message) });
  expect(isOfSchema(document)).toBe(false);
});

test.each(["policy.topics", "templates", "situations"])(
  "too many %s hide no other problem and cause none",
  async (path) => {
    const many = (value: unknown) =>
      Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`m${i}`, value]));
    const parts = {
      "policy.topics": {
        policy: { topics: many(TOPIC), caps: [{ max: 1, within: "P1D", topics: ["m200"] }] },
      },
      templates: { templates: many("x"), otherwise: [{ send: "m200" }] },
      situations: {
        situations: many({}),
        strict: true,
        otherwise: [{ later: { situation: "m200", after: "PT1H", key: "k" } }],
      },
    };
    const { problems } = await checkDocument(of({ ...parts[path as keyof typeof parts], zone: "Nowhere" }));
    expect(problems).toMatchObject([
      { path, message: expect.stringMatching(/^must have at most \d+ members$/) },
      { path: "zone" },
    ]);
  },
);

test.each([
  ["otherwise", 99_000],
  ["tests", 99_000],
])("%s with %i invalid items is reported only as too long", async (path, length) => {
  const before = process.cpuUsage();
  const { problems } = await checkDocument(of({ [path]: Array(length).fill(0) }));
  expect(problems).toEqual([{ path, message: expect.stringMatching(/^must have at most \d+ items$/) }]);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
});

test.each([
  ["numbers", Array(500_000).fill(0)],
  ["nested lists", Array(100_000).fill([[[]]])],
])("a document with too many values, such as %s, has only one problem", async (_, tests) => {
  const { problems } = await checkDocument(of({ tests }));
  expect(problems).toEqual([{ path: "", message: "must have at most 100000 values" }]);
});

slowTest("many long unknown names take little time, because few are compared with known ones", async () => {
  const name = (kind: string, i: number) => `${kind.repeat(8)}-${i}`;
  const templates = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [name("ab", i), "x"]));
  const rules = Array.from({ length: 200 }, (_, rule) => ({
    ...{ id: `r${rule}`, on: "*", continue: true },
    do: Array.from({ length: 10 }, (_, i) => ({ send: name("ba", 10 * rule + i) })),
  }));
  const before = process.cpuUsage();
  const { problems } = await checkDocument(of({ templates, rules }));
  expect(problems).toHaveLength(100);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3);
});

/** Documents with a problem that only the gateway detects. */
const INVALID: [object, string, string][] = [
  [
    of({ templates: { a: "a" }, otherwise: [{ send: "a", line: "sms", reuse: "latest" }] }),
    "otherwise[0].reuse",
    "must not be used with a line",
  ],
  [of({ otherwise: [{ resend: true }] }), "otherwise[0]", "must be in a rule for message.failed"],
  [
    of({ rules: [{ ...RULE, do: [{ resend: true }] }] }),
    "rules[0].do[0]",
    "must be in a rule for message.failed",
  ],
  [
    of({
      situations: {
        a: { data: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`m${i}`, "int"])), key: "m1" },
      },
    }),
    "situations.a.data",
    "must have at most 50 members",
  ],
  [
    of({ situations: { a: { data: { orderId: "string" }, key: "orderID" } } }),
    "situations.a.key",
    'is not declared. Did you mean "orderId"?',
  ],
  [
    of({ situations: { a: { data: { total: "double" }, key: "total" } } }),
    "situations.a.key",
    "must be the name of a string or int member",
  ],
  [of({ rules: [RULE, RULE] }), "rules[1].id", "is the id of another rule"],
  [of({ policy: { windows: [{ from: "08:00", to: "08:00" }] } }), "policy.windows[0].to", "must differ"],
  [of({ policy: { zone: "Europe/Zuric" } }), "policy.zone", 'Did you mean "Europe/Zurich"?'],
  ...(
    [
      [{ templates: { a: { text: "a", topic: "new" } } }, "templates.a.topic"],
      [{ templates: { a: "a" }, otherwise: [{ send: "a", topic: "new" }] }, "otherwise[0].topic"],
      [
        { templates: { a: "a" }, rules: [{ ...RULE, do: [{ send: "a", topic: "new" }] }] },
        "rules[0].do[0].topic",
      ],
    ] as const
  ).map(([parts, path]): [object, string, string] => [
    of({ policy: { topics: { news: TOPIC } }, ...parts }),
    path,
    'is not a topic of the policy. Did you mean "news"?',
  ]),
  [
    of({ policy: { topics: { news: TOPIC }, caps: [{ max: 2, within: "P7D", topics: ["news", "new"] }] } }),
    "policy.caps[0].topics[1]",
    'is not a topic of the policy. Did you mean "news"?',
  ],
  ...["P91D", "PT0S", "1 week"].map((within): [object, string, string] => [
    of({ policy: { caps: [{ max: 2, within }] } }),
    "policy.caps[0].within",
    "must be a period",
  ]),
  [
    of({ situations: { "message.received": {} } }),
    'situations["message.received"]',
    "is reserved for a situation that the gateway raises",
  ],
  [of({ rules: [{ ...RULE, do: [{ send: "a" }] }] }), "rules[0].do[0].send", "is not the name of a template"],
  [of({ otherwise: [{ send: "constructor" }] }), "otherwise[0].send", "is not the name of a template"],
  [
    of({ templates: { a: "a" }, rules: [{ ...RULE, do: Array(11).fill({ send: "a" }) }] }),
    "rules[0].do",
    "must send at most 10 messages",
  ],
  [
    of({ templates: { a: "a" }, rules: [{ ...RULE, do: [{ ask: { prompt: "a" } }, { close: true }] }] }),
    "rules[0].do[0]",
    "must be the last effect",
  ],
  [
    of({
      templates: { a: "a" },
      rules: [{ ...RULE, do: [{ ask: { prompt: "a", texts: ["a", "b"] } }] }],
    }),
    "rules[0].do[0].ask.texts[1]",
    "is not the name of a template",
  ],
  [
    of({
      policy: { topics: { news: { title: "News", default: "in" } } },
      templates: { a: "a", b: { text: "{{ unsubscribeUrl }}", topic: "news" } },
      rules: [{ ...RULE, do: [{ ask: { prompt: "a", texts: ["b"] } }] }],
    }),
    "templates.b.text",
    "unsubscribeUrl",
  ],
  [
    of({ templates: { a: "a" }, rules: [{ ...RULE, do: [{ ask: { prompt: "a", history: 51 } }] }] }),
    "rules[0].do[0].ask.history",
    "must be at most 50",
  ],
  [
    of({ templates: { a: "a" }, otherwise: [{ ask: { prompt: "a" } }] }),
    "otherwise[0]",
    "must not use the model",
  ],
  ...["P91D", "P", "PT", "1 day", "P1Y", "PT0S"].map((within): [object, string, string] => [
    of({ rules: [{ ...RULE, once: { per: "contact", within } }] }),
    "rules[0].once.within",
    "must be a period",
  ]),
  ...[
    ["situation.dta", "No such key"],
    ["contact.tags", "is of type list<string>, not string"],
    ["contacts", "refers to contacts, which does not exist"],
  ].map(([per, message]): [object, string, string] => [
    of({ rules: [{ ...RULE, once: { per, within: "P1D" } }] }),
    "rules[0].once.per",
    message as string,
  ]),
  [of({ templates: { a: "\0" } }), "", "must contain only well-formed Unicode"],
  [of({ templates: { a: "\ud800" } }), "", "must contain only well-formed Unicode"],
  [
    of({
      rules: Array.from({ length: 200 }, (_, i) => ({ id: `r${i}`, on: "*", when: ["x".repeat(2_000)] })),
    }),
    "",
    "must have at most 262144 bytes",
  ],
];

test.each(INVALID)("%j has a problem at %s that editors do not see", async (document, path, message) => {
  expect((await checkDocument(document)).problems).toContainEqual(
    expect.objectContaining({ path, message: expect.stringContaining(message) }),
  );
});

test("problems have a bounded number and size", async () => {
  const members = Array.from({ length: 200 }, (_, i) => [`${i}${"x".repeat(1_000)}`, 1]);
  const { problems } = await checkDocument(of(Object.fromEntries(members)));
  expect(problems).toHaveLength(100);
  for (const { path } of problems) expect(path).toHaveLength(300);
});

const TESTS = Array.from({ length: 300 }, (_, i) => ({
  id: `t${i}`,
  now: "2026-01-01T00:00:00Z",
  situation: { type: "nowhere" },
  expect: { rule: "none", sends: [{ template: "none" }] },
}));

test.each([
  ["names in tests", { tests: TESTS }],
  ["members", Object.fromEntries(TESTS.map(({ id }) => [id, 1]))],
  ["members of parts", { tests: TESTS.map((each) => ({ ...each, [each.id]: 1, name: 1 })) }],
])(
  "however many unknown %s there are, only reported ones are compared with known names",
  async (_, parts) => {
    const compare = jest.spyOn(suggestions, "suggestionList");
    const { problems, warnings } = await checkDocument(of(parts));
    expect(problems).toHaveLength(100);
    expect(compare.mock.calls.filter(([, known]) => known.length > 0).length).toBeGreaterThan(0);
    expect(compare.mock.calls.length).toBeLessThanOrEqual(2 * problems.length + warnings.length);
    compare.mockRestore();
  },
);

const { secret: KEY, hint: HINT } = mintApiKey("dev");

test.each<[string, object, string]>([
  ["template", { templates: { a: `Use ${KEY}` } }, "templates.a"],
  ["condition", { rules: [{ ...RULE, when: [`contact.ref == "${KEY}"`] }] }, "rules[0].when[0]"],
  ["reason", { otherwise: [{ handoff: mintSessionToken() }] }, "otherwise[0].handoff"],
  ["name", { situations: { a: { [KEY]: "int" } } }, "situations.a"],
  ["name that is not allowed", { [KEY]: 1 }, `${HINT}_[redacted]`],
])("a token in a %s is a problem, which does not repeat it", async (_, parts, path) => {
  const { problems } = await checkDocument(of(parts));
  expect(problems.map((problem) => problem.path)).toEqual([path]);
  expect(JSON.stringify(problems)).not.toContain(KEY);
});

test("all problems are reported together, in the order of the document, whatever else is invalid", async () => {
  const document = of({
    situations: { order: 7 },
    templates: {
      one: "a\n {{ nothing }}",
      two: "{% if %}",
      three: 3,
      full: {
        text: 4,
        subject: "{{ nothing }}",
        locales: {
          de: { text: "{% if %}", subject: "{{ nothing }}" },
          fr: {},
          xx: { text: "{{ nothing }}" },
        },
        topic: "news",
      },
    },
    otherwise: [{ hand_off: "no rule" }],
    rules: [
      {
        id: "b",
        on: "order",
        when: ["situation.data.id == 'x'", 1],
        do: [{ send: "three", dealySeconds: 1 }],
      },
      { id: "a", on: "*", when: ["true", "contact.nme == 1"], do: [{ send: "one" }] },
      {
        id: "a",
        on: "message.received",
        when: ["message.txt == ''"],
        do: [{ send: "four" }, { send: "two" }],
      },
    ],
  });
  const { problems } = await checkDocument(document);
  expect(problems.map(({ path, position }) => [path, position])).toEqual([
    ["situations.order", undefined],
    ["templates.one", { line: 2, column: 5 }],
    ["templates.two", { line: 1, column: expect.any(Number) }],
    ["templates.three", undefined],
    ["templates.full.text", undefined],
    ["templates.full.subject", { line: 1, column: 4 }],
    ["templates.full.locales.de.text", { line: 1, column: expect.any(Number) }],
    ["templates.full.locales.de.subject", { line: 1, column: 4 }],
    ["templates.full.locales.fr.text", undefined],
    ["templates.full.locales.xx", undefined],
    ["templates.full.locales.xx.text", { line: 1, column: 4 }],
    ["templates.full.topic", undefined],
    ["otherwise[0]", undefined],
    ["rules[0].when[1]", undefined],
    ["rules[0].do[0].dealySeconds", undefined],
    ["rules[1].when[1]", { line: 1, column: 9 }],
    ["rules[2].id", undefined],
    ["rules[2].when[0]", { line: 1, column: 9 }],
    ["rules[2].do[0].send", undefined],
  ]);
});

test.each([
  ["a member of the document", of({ template: {} }), "templates"],
  ["a member of a rule", of({ rules: [{ ...RULE, wen: [] }] }), "when"],
  ["a member of an effect", of({ otherwise: [{ handoff: "x" }, { send: "a", lne: "main" }] }), "line"],
  ["the kind of an effect", of({ otherwise: [{ hand_off: "x" }] }), "handoff"],
  ["a template", of({ templates: { hello: "x" }, otherwise: [{ send: "helo" }] }), "hello"],
])("a problem with the name of %s suggests the nearest known name", async (_, document, name) => {
  const messages = (await checkDocument(document)).problems.map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringMatching(`\\. Did you mean "${name}"\\?$`));
});

test("a document is compared with the lines and the model of its agent", async () => {
  const document = of({
    situations: { "order.shipped": {} },
    templates: { a: "a" },
    rules: [
      { id: "a", on: "order.shiped", do: [{ send: "a", line: "mial" }] },
      { id: "b", on: "order.shipped", do: [{ move: "phone" }, { send: "a", line: "main" }] },
      { id: "c", on: "*", do: [{ ask: { prompt: "a" } }] },
    ],
  });
  const { problems, warnings } = await checkDocument(document, {
    lines: ["mail", "main"],
    hasModel: false,
    hasPublicUrl: true,
  });
  expect(problems).toEqual([]);
  const ofLine = "is not a line in use: the agent has mail, main";
  expect(warnings).toEqual([
    {
      path: "rules[0].on",
      message: 'is not a declared situation, so the rule never matches. Did you mean "order.shipped"?',
    },
    { path: "rules[0].do[0].line", message: `${ofLine}. Did you mean "mail"?` },
    { path: "rules[1].do[0].move", message: ofLine },
    {
      path: "rules[2].do[0].ask",
      message: "uses a language model, but none is configured, so `otherwise` applies",
    },
  ]);
});

test.each([
  [
    "a rule after one without conditions",
    [RULE, { id: "b", on: "order" }],
    "rules[1]",
    "the rule a decides first",
  ],
  [
    "a rule with the conditions of an earlier one",
    [
      { ...RULE, when: ["contact != null"] },
      { id: "b", on: "order", when: ["true", "contact != null"] },
    ],
    "rules[1]",
    "the rule a decides first",
  ],
  [
    "a rule for a situation that is not declared",
    [{ ...RULE, on: "ordr" }],
    "rules[0].on",
    "is not a declared",
  ],
  ["a template without a use", [RULE], "templates.unused", "is not used"],
])("%s is worth a warning", async (_, rules, path, message) => {
  const { problems, warnings } = await checkDocument(
    of({
      situations: { order: {} },
      rules,
      ...(path.startsWith("templates") && { templates: { unused: "x" } }),
    }),
  );
  expect(problems).toEqual([]);
  expect(warnings).toEqual([{ path, message: expect.stringContaining(message) }]);
});

test("windows without a time zone are worth a warning", async () => {
  const warningsOf = async (parts: object) =>
    (await checkDocument(of({ policy: { windows: [WINDOW] }, ...parts }))).warnings;
  expect(await warningsOf({})).toEqual([
    {
      path: "policy.windows",
      message: expect.stringContaining("use UTC for contacts without a time zone"),
    },
  ]);
  expect(await warningsOf({ zone: "Europe/Zurich" })).toEqual([]);
});

test.each([
  ["continues", { continue: true }],
  ["matches once", { once: { per: "contact", within: "P1D" } }],
  ["is for another situation", { on: "other" }],
  ["has a condition", { when: ["true"] }],
])("a rule after one that %s can fire", async (_, parts) => {
  const rules = [
    { ...RULE, ...parts },
    { id: "b", on: "order" },
  ];
  const { warnings } = await checkDocument(of({ situations: { order: {}, other: {} }, rules }));
  expect(warnings).toEqual([]);
});

test.each<[string, string, string | null]>([
  ["pl", '{{ 5 | plural: "a", "b" }}', "has no form many, few for the language pl, so other is used"],
  ["pl", '{{ 5 | plural: one: "a", few: "b", other: "c" }}', "has no form many for the language pl"],
  ["pl", '{{ 5 | plural: one: "a", few: "b", many: "c", other: "d" }}', null],
  ["fr", '{{ 5 | plural: "a", "b" }}', null],
  ["ja", '{{ 5 | plural: "a", "b" }}', null],
])("a text in %s with %s gets a warning about missing plural forms", async (locale, text, warning) => {
  const rules = [{ ...RULE, do: [{ send: "a" }] }];
  const templates = { a: { text: '{{ 5 | plural: "a", "b" }}', locales: { [locale]: { text } } } };
  const { problems, warnings } = await checkDocument(of({ rules, templates }));
  expect(problems).toEqual([]);
  const found = {
    path: `templates.a.locales.${locale}.text`,
    message: expect.stringContaining(warning ?? ""),
  };
  expect(warnings).toEqual(
    warning === null ? [] : [{ ...found, position: { line: 1, column: expect.any(Number) } }],
  );
});

slowTest(
  "only the positions of reported problems are looked up, however often templates name unknown values",
  async () => {
    const positions = jest.spyOn(Token.prototype, "getPosition");
    const { problems } = await checkDocument(
      of({
        situations: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x${i}`, {}])),
        templates: { a: "{{a}}".repeat(4_000), b: "{{b}}".repeat(4_000) },
        rules: Array.from({ length: 200 }, (_, i) => ({
          id: `r${i}`,
          on: `x${i % 50}`,
          do: [{ send: "a" }, { send: "b" }],
        })),
      }),
    );
    expect(problems).toHaveLength(100);
    expect(problems[1]).toMatchObject({ path: "templates.a", position: { line: 1, column: 8 } });
    expect(positions.mock.calls.length).toBeLessThanOrEqual(200);
    positions.mockRestore();
  },
);
