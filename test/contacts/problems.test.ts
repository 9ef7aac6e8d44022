import type { InputProblem } from "../../src/errors";
import { contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const NO_EMAIL = { kind: "email", address: "x" };
const ONE_OF_3 = "pass exactly one of id, ref and address";
const ONE_OF_2 = "pass exactly one of id and ref";

/** Inputs of `putContact`, with all their problems by path. */
const CONTACTS: [input: object, problems: Record<string, string>][] = [
  [
    {
      ref: " ",
      name: "",
      locale: "de_CH",
      timezone: "Berlin",
      attributes: { text: "\0" },
      addresses: [{ kind: "local", address: "ok" }, NO_EMAIL, { kind: "phone", address: "044" }],
    },
    {
      ref: "must not be empty",
      name: "must not be empty",
      locale: "must be a BCP 47 tag of a known language, such as de-CH",
      timezone: "must be an IANA time zone such as Europe/Zurich",
      attributes: "must contain only well-formed Unicode without the NUL character",
      "addresses.1.address": "must be an e-mail address",
      "addresses.2.address": "must be a phone number with a country code, such as +41 44 668 18 00",
    },
  ],
  [
    { name: "", addresses: [] },
    { name: "must not be empty", ref: "is required if there are no addresses" },
  ],
  [{ ref: " ", addresses: null }, { ref: "must not be empty" }],
];

/** Inputs of `openConversation`; GraphQL reports its own problems before violations of the fields' rules. */
const CONVERSATIONS: [
  input: Record<string, unknown>,
  rest: Record<string, string>,
  graphql?: Record<string, string>,
][] = [
  [
    { contact: { address: NO_EMAIL }, message: " " },
    { "contact.address.address": "must be an e-mail address", message: "must not be empty" },
    { "contact.address.address": "must be an e-mail address", text: "must not be empty" },
  ],
  [
    { contact: {}, message: " " },
    { "contact.id": `is required: ${ONE_OF_3}`, message: "must not be empty" },
    { "contact.id": `is required: ${ONE_OF_3}` },
  ],
  [{ contact: { id: "x", ref: "y" } }, { "contact.ref": `is not allowed with id: ${ONE_OF_3}` }],
  [
    { contact: { ref: " ", address: NO_EMAIL } },
    { "contact.ref": "must not be empty", "contact.address.address": "must be an e-mail address" },
    { "contact.address": `is not allowed with ref: ${ONE_OF_3}` },
  ],
];

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each([
    ...CONTACTS.map(([input, problems]) => ["/agent/contacts", input, problems] as const),
    ...CONVERSATIONS.map(([input, problems]) => ["/agent/conversations", input, problems] as const),
  ])("POST %s of %j gets all problems in one response", async (path, body, problems) => {
    const reply = await gateway.rest("POST", path, { body });
    expectRestError(reply, "invalid_request");
    const expected = Object.entries(problems).map(([at, message]) => `${at} ${message}`);
    expect(reply.body.message.split("; ").sort()).toEqual(expected.sort());
  });

  const problemsOf = (reply: Awaited<ReturnType<typeof gateway.graphql>>): Record<string, string> => {
    expectGraphQLError(reply, "invalid_request");
    const problems: InputProblem[] = reply.body.errors[0].extensions.problems;
    return Object.fromEntries(problems.map(({ path, message }) => [path, message]));
  };
  const below = (parent: string, problems: Record<string, string>) =>
    Object.fromEntries(Object.entries(problems).map(([path, message]) => [`${parent}.${path}`, message]));

  test.each(CONTACTS)("putContact of %j gets all problems in one response", async (input, problems) => {
    expect(problemsOf(await contactClient(gateway).put(input))).toEqual(below("input", problems));
  });

  test.each(CONVERSATIONS)(
    "openConversation of %j gets all problems in one response",
    async (input, problems, inGraphQL = problems) => {
      expect(problemsOf(await conversationClient(gateway).open(input))).toEqual(below("input", inGraphQL));
    },
  );

  test("GraphQL rejects a null next to the one field of a reference, and REST ignores it", async () => {
    const contact = { id: null, ref: "nobody" };
    expect(problemsOf(await conversationClient(gateway).open({ contact }))).toEqual({
      "input.contact.ref": `is not allowed with id: ${ONE_OF_3}`,
    });
    const alone = await conversationClient(gateway).open({ contact: { ref: null } });
    expect(problemsOf(alone)).toEqual({ "input.contact.ref": `must not be null: ${ONE_OF_3}` });
    expectRestError(await gateway.rest("POST", "/agent/conversations", { body: { contact } }), "not_found");
    const both = 'mutation { openConversation(input: { contact: { id: "1", ref: "x" } }) { created } }';
    expectGraphQLError(await gateway.graphql(both), "graphql_validation_failed");
  });

  test.each([
    [{}, { "by.id": `is required: ${ONE_OF_2}` }],
    [{ id: "x", ref: "y" }, { "by.ref": `is not allowed with id: ${ONE_OF_2}` }],
    [{ id: "x", agentId: "y" }, { agentId: "is not allowed with by.id" }],
  ])("contact with the arguments %j says what to pass", async (args, problems) => {
    expect(problemsOf(await contactClient(gateway).find(args))).toEqual(problems);
  });

  test("more than ten problems are cut, including problems with attributes that cannot be stored", async () => {
    const body = `{"ref":"x","attributes":{${Array.from({ length: 12 }, (_, i) => `"n${i}":9007199254740993`)}}}`;
    const reply = await gateway.rest("POST", "/agent/contacts", { body });
    expectRestError(reply, "invalid_request");
    expect(reply.body.message.split("; ")).toHaveLength(10);
  });
});
