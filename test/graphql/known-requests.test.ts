import { ApolloServer } from "@apollo/server";
import { queryDocument } from "../fuzz/documents";
import { mint, type Reply } from "../support/gateway";
import fc from "../support/generated";
import { json, junk } from "../support/hostile-values";
import { addMember } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases, TIER } from "../support/tiers";

/** Number of bodies for each caller. */
// With fewer in CI, chance may send all documents of a caller to Apollo.
const BODIES = TIER === "rest" ? 50 : cases(100);

const ACCEPTED = [
  undefined,
  "*/*",
  "application/json",
  "application/graphql-response+json",
  "text/html",
  "image/png",
];

/** Headers that differ between responses. */
const CHANGING = ["date", "x-request-id", "ratelimit", "ratelimit-remaining", "ratelimit-reset"];

/** Returns everything that a client sees. */
const seen = ({ status, headers, text }: Reply) => ({
  status,
  headers: [...headers].filter(([name]) => !CHANGING.includes(name)),
  text,
});

describeGateway({ engine: "any" }, (gateway) => {
  let callers: Record<string, string>;
  let ids: string[];
  let cursors: string[];
  let apollo: jest.SpyInstance;
  beforeEach(() => {
    apollo = jest.spyOn(ApolloServer.prototype, "executeHTTPGraphQLRequest");
  });
  afterEach(() => apollo.mockRestore());

  beforeAll(async () => {
    await gateway.services.pets.seed(20);
    const readOnly = await mint(gateway, { scopes: ["pets:read"] });
    const member = await addMember(gateway);
    callers = {
      agent: gateway.key,
      "read-only": readOnly.secret,
      manager: gateway.owner,
      member: member.token,
    };
    const sent = await gateway.rest("POST", "/messages", { body: { message: "hello" } });
    ids = ["1", "7", sent.body.id, readOnly.id];
    const { body } = await gateway.graphql("{ pets(first: 5) { edges { cursor } } }");
    cursors = body.data.pets.edges.map(({ cursor }: { cursor: string }) => cursor);
  });

  let nth = 0;
  /** Makes a document unknown. */
  const unknown = (query: string) => `${query} # ${++nth}`;

  /** @returns the response, and true if Apollo created it */
  const post = async (body: object, token: string, accept?: string) => {
    const calls = apollo.mock.calls.length;
    const headers = accept === undefined ? undefined : { accept };
    const call = { token, body: json(body, String), ...(headers && { headers }) };
    const reply = await gateway.rest("POST", "/graphql", call);
    return { reply, byApollo: apollo.mock.calls.length > calls };
  };
  const learn = (query: string, variables: object, token: string) => post({ query, variables }, token);

  const READ_BY_KEYS = [
    "pets",
    "pet",
    "whoami",
    "messages",
    "contacts",
    "conversations",
    "lines",
    "decisions",
  ];

  test.each([
    ["agent", READ_BY_KEYS],
    ["read-only", ["pets", "pet", "whoami"]],
    ["manager", ["apiKeys", "agents", "members", "auditLog", "organization", "messages"]],
    ["member", ["agents", "organization", "messages", "contacts", "pets"]],
  ])(
    "a known query of the caller %s gets the same response as from Apollo, byte for byte",
    async (who, fields) => {
      const token = callers[who] as string;
      let answered = 0;
      const sometimes = <T>(usual: T, other: fc.Arbitrary<unknown>) =>
        fc.oneof({ weight: 12, arbitrary: fc.constant<unknown>(usual) }, other);
      const request = fc.record({
        document: queryDocument(ids, cursors, fields),
        // A document with directives is left to Apollo.
        isPlain: fc.constantFrom(true, true, true, false),
        accept: fc.constantFrom(...ACCEPTED),
        operationName: sometimes(undefined, fc.constantFrom(null, "Q", "", 1)),
        extensions: sometimes({ client: "test" }, junk),
        variables: sometimes(undefined, junk),
      });
      await fc.assert(
        fc.asyncProperty(
          request,
          async ({ document, isPlain, accept, operationName, extensions, variables }) => {
            const query = isPlain ? document.query.replace(/@\w+\(if: \w+\)/g, "") : document.query;
            const rest = { operationName, extensions, variables: variables ?? document.variables };
            await learn(query, document.variables, token);
            const before = await post({ query, ...rest }, token, accept);
            const byApollo = await post({ query: unknown(query), ...rest }, token, accept);
            const after = await post({ query, ...rest }, token, accept);
            expect(byApollo.byApollo).toBe(true);
            if (!before.byApollo) answered += 1;
            // The data, such as the key's usage, may have changed in the meantime.
            if (before.reply.text === after.reply.text)
              expect(seen(before.reply)).toEqual(seen(byApollo.reply));
          },
        ),
        { numRuns: BODIES },
      );
      // With only a few documents, chance may send all of them to Apollo.
      if (TIER !== "default") expect(answered).toBeGreaterThan(0);
    },
  );

  const PET = { input: { name: "Rex", categoryId: "1" } };
  const CREATE = "mutation ($input: CreatePetInput!) { createPet(input: $input) { name status } }";

  test.each([
    ["that succeeds", CREATE, PET, false],
    ["with an invalid value", CREATE, { input: { name: "", categoryId: "1" } }, true],
    ["with a variable of a wrong type", CREATE, { input: { name: 1 } }, true],
    [
      "with two fields",
      'mutation { a: sendMessage(input: { text: "a" }) { text } b: sendMessage(input: { text: "a" }) { text } }',
      {},
      true,
    ],
  ])("a known mutation %s gets the same response as from Apollo", async (_, query, variables, left) => {
    await learn(query, PET, gateway.key);
    const known = await post({ query, variables }, gateway.key);
    const byApollo = await post({ query: unknown(query), variables }, gateway.key);
    expect(seen(known.reply)).toEqual(seen(byApollo.reply));
    expect([known.byApollo, byApollo.byApollo]).toEqual([left, true]);
  });

  test("the change of a known mutation that fails is made only once", async () => {
    const { id } = await gateway.services.agents.bySlug("first-agent");
    const query =
      "mutation ($id: ID!, $name: String!) { renameAgent(input: { id: $id, name: $name }) { name } }";
    await learn(query, { id, name: "First agent" }, gateway.owner);
    const rename = jest.spyOn(gateway.services.agents, "rename");
    const variables = { id: "0196a0aa-0000-7000-8000-000000000000", name: "Another" };
    const { reply, byApollo } = await post({ query, variables }, gateway.owner);
    expect([reply.body.errors[0].extensions.code, byApollo]).toEqual(["not_found", true]);
    expect(rename).toHaveBeenCalledTimes(1);
    rename.mockRestore();
  });

  test("a query known from one caller is rejected for callers who may not run it", async () => {
    const query = "{ apiKeys(first: 1) { nodes { id } } }";
    await learn(query, {}, gateway.owner);
    expect((await post({ query }, gateway.owner)).byApollo).toBe(false);
    const { reply, byApollo } = await post({ query }, gateway.key);
    expect([reply.body.errors[0].extensions.code, byApollo]).toEqual(["forbidden", true]);
  });
});
