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

type Problem = [document: object, path: string, message: string];
/** Returns problems of documents with a part, whose paths are below that of the part. */
const within = (base: string, document: (part: object) => object, problems: Problem[]): Problem[] =>
  problems.map(([part, path, message]) => [of(document(part)), `${base}${path}`, message]);
const ofRule = (rule: object) => ({ rules: [{ ...RULE, ...rule }] });
const ofPolicy = (policy: object) => ({ policy });
const ofTemplate = (a: object) => ({ templates: { a } });
const many = (length: number, value: (i: number) => unknown) =>
  Object.fromEntries(Array.from({ length }, (_, i) => [`t${i}`, value(i)]));

/** Documents with an invalid structure, which editors also detect. */
const MALFORMED: Problem[] = [
  [{}, "format", "is required"],
  [{ format: 2 }, "format", "must be 1"],
  [JSON.parse('{"format":1,"templates":{"__proto__":"x"}}'), "templates.__proto__", "is not an allowed name"],
  ...within("", (part) => part, [
    [{ rule: [] }, "rule", "is not a member of the format"],
    [{ rules: {} }, "rules", "must be a list"],
    [{ rules: [{ on: "*" }] }, "rules[0].id", "is required"],
    [{ policy: [] }, "policy", "must be an object"],
    [{ otherwise: [{ addTags: ["A"] }] }, "otherwise[0].addTags[0]", "must be a tag in lower case"],
    [{ otherwise: [{ addTags: [] }] }, "otherwise[0].addTags", "must have at least 1 item"],
    [{ otherwise: [{ handoff: "a", __proto__x: 1 }] }, "otherwise[0].__proto__x", "is not a member"],
    [
      { otherwise: [{ send: "a", delaySeconds: 7_776_001 }] },
      "otherwise[0].delaySeconds",
      "must be at most 7776000",
    ],
    [{ situations: { "a.b": { c: "text" } } }, 'situations["a.b"].c', 'must be "string"'],
    [{ situations: { "A b": {} } }, 'situations["A b"]', "has an invalid name"],
    [{ situations: { a: { "b c": "string" } } }, 'situations.a["b c"]', "has an invalid name"],
    [{ situations: { on: 1 } }, "situations.on", "must be an object"],
    [{ situations: { a: { data: { b: "text" } } } }, "situations.a.data.b", 'must be "string"'],
    [{ situations: { a: { data: {}, keys: "b" } } }, "situations.a.keys", 'Did you mean "key"?'],
    [{ situations: { a: { data: {}, key: 1 } } }, "situations.a.key", "must be a string"],
    [{ situations: { a: { key: "b" } } }, "situations.a.key", 'must be "string"'],
    [{ templates: { a: "" } }, "templates.a", "must have at least 1 character"],
    [{ templates: { a: 1 } }, "templates.a", "must be a string, or an object with a text"],
    [{ templates: many(201, () => "x") }, "templates", "must have at most 200 members"],
    [{ burstSeconds: 1.5 }, "burstSeconds", "must be a whole number"],
    [{ burstSeconds: 61 }, "burstSeconds", "must be at most 60"],
    [{ defaultContact: 1 }, "defaultContact", "must be a string"],
    [
      { rules: Object.values(many(201, (i) => ({ ...RULE, id: `r${i}` }))) },
      "rules",
      "must have at most 200",
    ],
  ]),
  ...within("rules[0].", ofRule, [
    [{ id: "A b" }, "id", "must be a name of a-z and 0-9, with single . _ - between them"],
    [{ on: "Order" }, "on", "must be a name of a-z and 0-9, with single . _ - between"],
    [{ on: 1 }, "on", "must be * or the type of a situation"],
    [{ when: "true" }, "when", "must be a list"],
    [{ when: [1] }, "when[0]", "must be a string"],
    [{ when: Array(21).fill("true") }, "when", "must have at most 20 items"],
    [{ when: ["x".repeat(2_001)] }, "when[0]", "must have at most 2000 characters"],
    [
      { do: [{ text: "a" }] },
      "do[0]",
      "must have one of send, addTags, removeTags, move, handoff, close, ask",
    ],
    [{ do: [{ handoff: "a", send: "b" }] }, "do[0].handoff", "is not a member"],
    [{ do: [{ close: false }] }, "do[0].close", "must be true"],
  ]),
  ...within("policy.", ofPolicy, [
    [{ window: [] }, "window", 'is not a member of the format. Did you mean "windows"?'],
    [{ windows: [] }, "windows", "must have at least 1 item"],
    [
      { windows: [{ ...WINDOW, day: "mon" }] },
      "windows[0].day",
      'is not a member of the format. Did you mean "days"?',
    ],
    [
      { windows: [WINDOW, { ...WINDOW, days: "mon-fry" }] },
      "windows[1].days",
      "must be days such as mon-fri, sat, or mon,wed,fri-sun",
    ],
    [{ windows: [{ from: "8:00", to: "20:00" }] }, "windows[0].from", "must be a time"],
    [{ windows: [{ from: "24:00", to: "20:00" }] }, "windows[0].from", "must be a time"],
    [{ windows: [{ from: "08:00", to: "24:01" }] }, "windows[0].to", "must be a time"],
    [{ windows: [{ from: "08:00" }] }, "windows[0].to", "is required"],
    [{ caps: [{ max: 0, within: "P7D" }] }, "caps[0].max", "must be at least 1"],
    [{ caps: [{ max: 2.5, within: "P7D" }] }, "caps[0].max", "must be a whole number"],
    [{ topics: { News: TOPIC } }, "topics.News", "has an invalid name"],
    [
      { topics: { ["a".repeat(64)]: TOPIC } },
      `topics.${"a".repeat(64)}`,
      "has an invalid name: it must have at most 63 characters",
    ],
    [{ topics: { news: { ...TOPIC, title: " " } } }, "topics.news.title", "must not be empty"],
    [{ topics: { news: { title: "News" } } }, "topics.news.default", "is required"],
    [{ topics: { news: { ...TOPIC, default: "no" } } }, "topics.news.default", 'must be "in" or "out"'],
    [{ topics: many(21, () => TOPIC) }, "topics", "must have at most 20 members"],
  ]),
  ...within("templates.a.", ofTemplate, [
    [{ subject: "b" }, "text", "is required"],
    [{ text: "b", sbject: "c" }, "sbject", 'Did you mean "subject"?'],
    [{ text: "b", locales: { de: "c" } }, "locales.de", "must be an object"],
    [
      { text: "b", locales: { de: { text: "c", sbject: "d" } } },
      "locales.de.sbject",
      'Did you mean "subject"?',
    ],
    [
      { text: "b", locales: { "de CH": { text: "c" } } },
      'locales["de CH"]',
      "must be a BCP 47 tag such as de-CH",
    ],
  ]),
];

test.each(MALFORMED)("%j has a problem at %s", async (document, path, message) => {
  const { problems } = await checkDocument(document);
  expect(problems).toContainEqual({ path, message: expect.stringContaining(message) });
  expect(isOfSchema(document)).toBe(false);
});

test("the data of a timer must match its declaration, unless it is a template", async () => {
  const TYPES: Record<string, [valid: unknown[], invalid: unknown[], message: string]> = {
    string: [["", "a"], [17, true, ["a"]], "must be a string"],
    int: [[17, "17"], ["abc", "", 1.5, true, "1.5"], "must be a whole number"],
    double: [[1.5, "1.5", "2", 2 ** 53 - 1], ["abc", false, ["1"]], "must be a number"],
    bool: [[true, "false"], ["yes", 1], "must be true or false"],
    timestamp: [["2026-01-31T12:00:00Z"], ["tomorrow", 17], "must be a time such as 2026-01-31T12:00:00Z"],
    "list<string>": [[[], ["a", "{{ now }}"]], ["a", 1], "must be a list of strings"],
  };
  const TEMPLATES = ["{{ now }}", "{% if true %}1{% endif %}"];
  const problemsOf = async (type: string, value: unknown) => {
    const data = value === undefined ? {} : { a: value };
    const later = { situation: "due", after: "PT1H", key: "k", data };
    return (await checkDocument(of({ situations: { due: { a: type } }, otherwise: [{ later }] }))).problems;
  };
  for (const [type, [valid, invalid, message]] of Object.entries(TYPES)) {
    for (const value of [...valid, ...TEMPLATES]) expect(await problemsOf(type, value)).toEqual([]);
    for (const value of [null, undefined]) expect(await problemsOf(`${type}?`, value)).toEqual([]);
    const wrong = [
      ...invalid.map((value) => [value, message]),
      [null, "is required"],
      [undefined, "is required"],
    ];
    for (const [value, expected] of wrong)
      expect([type, value, await problemsOf(type, value)]).toEqual([
        ...[type, value, [{ path: "otherwise[0].later.data.a", message: expected }]],
      ]);
  }
});

/** Returns copies of a value, each with a long value of the wrong type in place of one part. */
function mistyped(value: unknown): unknown[] {
  const wrong = typeof value === "string" ? Array(3_000).fill("x") : "x".repeat(3_000);
  const parts = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [
    wrong,
    ...parts.flatMap(([name, part]) =>
      mistyped(part).map((other) => Object.assign(structuredClone(value) as object, { [name]: other })),
    ),
  ];
}

test("a value of the wrong type has one problem, however long it is", async () => {
  for (const document of mistyped(EXAMPLE)) {
    const paths = (await checkDocument(document)).problems.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
  }
});

test("the literal data of a timer must be within the limits of situations", async () => {
  const UNSAFE = "must be between -(2^53 - 1) and 2^53 - 1";
  const LONG = "x".repeat(17_000);
  const KEY = { data: { a: "string" }, key: "a" };
  const TOO_LARGE: [declared: object | undefined, data: object, path: string, message: string][] = [
    ...[1e300, 2 ** 53, "9007199254740993"].map(
      (a) => [{ a: "double" }, { a }, ".a", UNSAFE] as [object, object, string, string],
    ),
    [undefined, { a: 2 ** 53, b: "{{ now }}" }, ".a", UNSAFE],
    [{ a: "string", b: "string" }, { a: LONG, b: LONG }, "", "must have at most 32768 bytes as JSON"],
    [KEY, { a: "x".repeat(201) }, ".a", "must have at most 200 characters, because it is the key"],
  ];
  for (const [due, data, path, message] of TOO_LARGE) {
    const later = { situation: "due", after: "PT1H", key: "k", data };
    const { problems } = await checkDocument(
      of({ ...(due && { situations: { due } }), otherwise: [{ later }] }),
    );
    expect(problems).toEqual([{ path: `otherwise[0].later.data${path}`, message }]);
  }
});

test.each(["policy.topics", "templates", "situations"])(
  "too many %s hide no other problem and cause none",
  async (path) => {
    const parts = {
      "policy.topics": {
        policy: { topics: many(201, () => TOPIC), caps: [{ max: 1, within: "P1D", topics: ["t200"] }] },
      },
      templates: { templates: many(201, () => "x"), otherwise: [{ send: "t200" }] },
      situations: {
        situations: many(201, () => ({})),
        strict: true,
        otherwise: [{ later: { situation: "t200", after: "PT1H", key: "k" } }],
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

const SENDING = { templates: { a: "a" } };
const PERIOD = "must be a period";
const WRONG_TOPIC = 'is not a topic of the policy. Did you mean "news"?';
const NO_TEMPLATE = "is not the name of a template";
const RESEND = [{ resend: true }];

/** Documents with a problem that only the gateway detects. */
const INVALID: Problem[] = [
  ...within("", (part) => part, [
    [{ otherwise: RESEND }, "otherwise[0]", "must be in a rule for message.failed"],
    [{ rules: [RULE, RULE] }, "rules[1].id", "is the id of another rule"],
    ...["2026-01-31T12:00:00+25:00", "tomorrow"].map((at): [object, string, string] => [
      { otherwise: [{ later: { situation: "due", at, key: "k" } }] },
      "otherwise[0].later.at",
      "must be a time such as 2026-01-31T12:00:00Z",
    ]),
    [{ otherwise: [{ send: "constructor" }] }, "otherwise[0].send", NO_TEMPLATE],
    [{ templates: { a: "\0" } }, "", "must contain only well-formed Unicode"],
    [{ templates: { a: "\ud800" } }, "", "must contain only well-formed Unicode"],
    [
      { rules: Object.values(many(200, (i) => ({ id: `r${i}`, on: "*", when: ["x".repeat(2_000)] }))) },
      "",
      "must have at most 262144 bytes",
    ],
    [
      { situations: { "message.received": {} } },
      'situations["message.received"]',
      "is reserved for a situation that the gateway raises",
    ],
    [
      {
        policy: { topics: { news: { title: "News", default: "in" } } },
        templates: { a: "a", b: { text: "{{ unsubscribeUrl }}", topic: "news" } },
        rules: [{ ...RULE, do: [{ ask: { prompt: "a", texts: ["b"] } }] }],
      },
      "templates.b.text",
      "unsubscribeUrl",
    ],
  ]),
  ...within("situations.a.", (a) => ({ situations: { a } }), [
    [{ data: many(51, () => "int"), key: "t1" }, "data", "must have at most 50 members"],
    [{ data: { orderId: "string" }, key: "orderID" }, "key", 'is not declared. Did you mean "orderId"?'],
    [{ data: { total: "double" }, key: "total" }, "key", "must be the name of a string or int member"],
  ]),
  ...within("policy.", ofPolicy, [
    [{ windows: [{ from: "08:00", to: "08:00" }] }, "windows[0].to", "must differ"],
    [{ zone: "Europe/Zuric" }, "zone", 'Did you mean "Europe/Zurich"?'],
    ...["P91D", "PT0S", "1 week"].map(
      (within): Problem => [{ caps: [{ max: 2, within }] }, "caps[0].within", PERIOD],
    ),
    [
      { topics: { news: TOPIC }, caps: [{ max: 2, within: "P7D", topics: ["news", "new"] }] },
      "caps[0].topics[1]",
      WRONG_TOPIC,
    ],
  ]),
  ...within("", (part) => ({ policy: { topics: { news: TOPIC } }, ...part }), [
    [{ templates: { a: { text: "a", topic: "new" } } }, "templates.a.topic", WRONG_TOPIC],
    [{ ...SENDING, otherwise: [{ send: "a", topic: "new" }] }, "otherwise[0].topic", WRONG_TOPIC],
    [{ ...SENDING, ...ofRule({ do: [{ send: "a", topic: "new" }] }) }, "rules[0].do[0].topic", WRONG_TOPIC],
  ]),
  ...within("otherwise[0]", (effect) => ({ ...SENDING, otherwise: [effect] }), [
    [{ send: "a", line: "sms", reuse: "latest" }, ".reuse", "must not be used with a line"],
    [{ ask: { prompt: "a" } }, "", "must not use the model"],
  ]),
  ...within("rules[0].", ofRule, [
    [{ do: RESEND }, "do[0]", "must be in a rule for message.failed"],
    [{ do: [{ send: "a" }] }, "do[0].send", NO_TEMPLATE],
    ...["P91D", "P", "PT", "1 day", "P1Y", "PT0S"].map(
      (within): Problem => [{ once: { per: "contact", within } }, "once.within", PERIOD],
    ),
    [{ once: { per: "situation.dta", within: "P1D" } }, "once.per", "No such key"],
    [{ once: { per: "contact.tags", within: "P1D" } }, "once.per", "is of type list<string>, not string"],
    [{ once: { per: "contacts", within: "P1D" } }, "once.per", "refers to contacts, which does not exist"],
  ]),
  ...within("rules[0].do", (rule) => ({ ...SENDING, ...ofRule({ do: rule }) }), [
    [Array(11).fill({ send: "a" }), "", "must send at most 10 messages"],
    [[{ ask: { prompt: "a" } }, { close: true }], "[0]", "must be the last effect"],
    [[{ ask: { prompt: "a", texts: ["a", "b"] } }], "[0].ask.texts[1]", NO_TEMPLATE],
    [[{ ask: { prompt: "a", history: 51 } }], "[0].ask.history", "must be at most 50"],
  ]),
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
      { id: "c", on: "message.received", do: [{ move: "sms" }, { send: "a", line: ["main", "sms"] }] },
      { id: "d", on: "message.failed", do: [{ resend: true, line: "sms" }] },
      { id: "e", on: "*", do: [{ ask: { prompt: "a" } }] },
    ],
  });
  const { problems, warnings } = await checkDocument(document, {
    lines: ["mail", "main", "sms"],
    paused: ["sms"],
    hasModel: false,
    hasPublicUrl: true,
  });
  expect(problems).toEqual([]);
  const ofLine = "is not a line in use: the agent has mail, main, sms";
  expect(warnings).toEqual([
    {
      path: "rules[0].on",
      message: 'is not a declared situation, so the rule never matches. Did you mean "order.shipped"?',
    },
    { path: "rules[0].do[0].line", message: `${ofLine}. Did you mean "mail"?` },
    { path: "rules[1].do[0].move", message: ofLine },
    { path: "rules[2].do[0].move", message: "is a paused line: no conversation can be moved to it" },
    { path: "rules[2].do[1].line[1]", message: "is a paused line: its messages wait" },
    { path: "rules[3].do[0].line", message: "is a paused line: its messages wait" },
    {
      path: "rules[4].do[0].ask",
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

test("a problem hides only the warnings that its own part may cause", async () => {
  const hidden = [RULE, { id: "b", on: "*", do: [{ send: "long", line: "gone" }] }];
  const parts = {
    situations: { order: {} },
    templates: { long: '{{ 2 | plural: one: "a", other: "b" }}', unused: "{{ unsubscribeUrl }}" },
    locale: "pl",
    policy: { topics: { news: TOPIC }, windows: [WINDOW] },
    rules: [...hidden, { id: "c", on: "ordr", do: [{ ask: { prompt: "long" } }] }],
    tests: [{ id: "a", now: "2026-01-01T00:00:00Z", situation: { type: "oder" }, expect: { rule: null } }],
  };
  const surroundings = { lines: ["mail"], paused: [], hasModel: false, hasPublicUrl: false };
  const warned = async (part: object) =>
    (await checkDocument(of({ ...parts, ...part }), surroundings)).warnings.map(({ path }) => path);
  const all = await warned({});
  const without = (...names: string[]) => all.filter((path) => !names.some((name) => path.startsWith(name)));
  expect(all).toEqual([
    "templates.long",
    "templates.unused",
    "templates.unused",
    "policy.windows",
    "rules[1]",
    "rules[1].do[0].line",
    "rules[2]",
    "rules[2].on",
    "rules[2].do[0].ask",
    "tests[0].situation.type",
  ]);
  expect(await warned({ burstSeconds: 61 })).toEqual(all);
  expect(
    await warned({ templates: { ...parts.templates, broken: 1 }, otherwise: [{ send: "broken" }] }),
  ).toEqual(all);
  expect(await warned({ situations: { ordr: 1 } })).toEqual(without("rules[2].on", "tests"));
  expect(await warned({ policy: { windows: [WINDOW], zone: "Nowhere" } })).toEqual(without("policy"));
  expect(await warned({ rules: [{ ...RULE, when: "text" }, ...parts.rules.slice(1)] })).toEqual(
    all.filter((path, index) => path !== "rules[1]" && index !== all.indexOf("templates.unused")),
  );
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
