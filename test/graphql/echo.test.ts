import { sqlite } from "../support/engines";
import type { TestGateway } from "../support/gateway";
import { codesOf } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const SECRET = "correct-horse-battery";
const CREATE = "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }";

/** Documents with text where it does not belong. */
const MISPLACED: readonly [name: string, document: (text: string) => string][] = [
  ["an Int", (text) => `{ pets(first: ${text}) { nodes { id } } }`],
  [
    "an Int, as the default of a variable",
    (text) => `query ($n: Int = ${text}) { pets(first: $n) { nodes { id } } }`,
  ],
  ["an enum", (text) => `{ pets(status: ${text}) { nodes { id } } }`],
  ["a moment", (text) => `{ auditLog(since: ${text}) { nodes { id } } }`],
  ["a number, in a list", (text) => `{ pets(first: [${text}]) { nodes { id } } }`],
  ["an ID, in an object", (text) => `{ pet(id: { id: ${text} }) { id } }`],
  ["an input", (text) => `mutation { signIn(input: ${text}) { token } }`],
  [
    "a field of an input, in an object",
    (text) => `mutation { signIn(input: { email: "a@b.c", password: { is: ${text} } }) { token } }`,
  ],
  ["a field of an incomplete input", (text) => `mutation { signIn(input: { password: ${text} }) { token } }`],
  [
    "an unknown field of an input",
    (text) => `mutation { signIn(input: { email: "a@b.c", passwort: ${text} }) { token } }`,
  ],
  ["a condition", (text) => `{ __typename @skip(if: ${text}) }`],
  ["a selection", (text) => `{ ${text} }`],
  ["a value, without its colon", (text) => `mutation { signIn(input: { password ${text} }) { token } }`],
  ["an ID, without the end of the document", (text) => `{ pet(id: ${text}`],
  ["one of two conflicting arguments", (text) => `{ pet(id: ${text}) { id } pet(id: "1") { id } }`],
];

const gateway = suiteGateway(sqlite, { env: { LOG_LEVEL: "debug" } });

describe.each(MISPLACED)("a string instead of %s", (_, document) => {
  test.each([
    ["a text", `"${SECRET}"`],
    ["a block text", `"""\n${SECRET}\n"""`],
  ])("is not repeated: %s", async (_form, text) => {
    const reply = await gateway.graphql(document(text), {}, { token: null });
    expect(codesOf(reply)[0]).toMatch(/^graphql_(parse|validation)_failed$/);
    expect(reply.text).not.toContain(SECRET);
    expect(gateway.log()).not.toContain(SECRET);
  });

  test("is not repeated if it is a key", async () => {
    const { text } = await gateway.graphql(document(`"${gateway.key}"`), {}, { token: null });
    expect(text).not.toContain(gateway.key.split("_")[3]);
  });
});

describe("a key", () => {
  const secretPart = () => gateway.key.split("_")[3]?.slice(0, 12) ?? "";
  const places: [string, (key: string) => Parameters<TestGateway["graphql"]>][] = [
    ["a name", (key) => [`{ ${key} }`]],
    ["an alias that conflicts", (key) => [`{ ${key}: __typename ${key}: pets { nodes { id } } }`]],
    ["a variable", (key) => [`{ pet(id: $${key}) { id } }`]],
    ["a fragment", (key) => [`{ ...${key} }`]],
    ["a directive", (key) => [`{ __typename @${key} }`]],
    [
      "an operation",
      (key) => [
        "query a { __typename }",
        {},
        { body: { query: "query a { __typename }", operationName: key } },
      ],
    ],
    ["a field of a variable", (key) => [CREATE, { input: { [key]: 1 } }]],
    [
      "a field of a variable, late in its name",
      (key) => [CREATE, { input: { [`${"x".repeat(60)}${key}`]: 1 } }],
    ],
    ["a name, late in a long message", (key) => [`{ ${"a".repeat(440)}${key} }`]],
  ];
  test.each(places)("that is %s is not repeated", async (_, call) => {
    const reply = await gateway.graphql(...call(gateway.key));
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(secretPart());
    expect(gateway.log()).not.toContain(secretPart());
  });

  test("that is a member of a REST body is not repeated, wherever in its name", async () => {
    for (const before of [0, 40, 60, 90]) {
      const body = { name: "Rex", categoryId: 1, [`${"x".repeat(before)}${gateway.key}`]: 1 };
      const reply = await gateway.rest("POST", "/v1/pets", { body });
      expect(reply.body.code).toBe("invalid_request");
      expect(reply.text).not.toContain(secretPart());
    }
    const broken = await gateway.rest("POST", "/v1/pets", { body: `{"a":"${gateway.key}" ${gateway.key}` });
    expect(broken.text).not.toContain(secretPart());
  });
});

test("a name of maximum length leaves the message short", async () => {
  const reply = await gateway.graphql(`{ ${"a".repeat(25_000)} }`);
  expect(reply.body.errors[0].message.length).toBeLessThanOrEqual(500);
});
