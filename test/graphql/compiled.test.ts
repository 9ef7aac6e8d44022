import { execute, parse, validate } from "graphql";
import type { RequestContext } from "../../src/auth/context";
import { resolversOf } from "../../src/features";
import { planOperation } from "../../src/graphql/compiled/plan";
import { createSchema } from "../../src/graphql/schema";
import { sqlite } from "../support/engines";
import fc from "../support/generated";
import { suiteGateway } from "../support/suite";
import { cases } from "../support/tiers";

/** Selections on a type, with aliases, inline fragments and repeated fields. */
function selectionOf(type: keyof typeof FIELDS, depth = 0): fc.Arbitrary<string> {
  const alias = fc.constantFrom("", "", "a: ", "b: ");
  const field = fc.constantFrom(...Object.entries(FIELDS[type])).chain(([name, of]) =>
    fc
      .tuple(alias, of === null ? fc.constant("") : selectionOf(of, depth + 1))
      // One alias per field, because the document would otherwise be invalid.
      .map(([as, inner]) => `${as === "" ? "" : `${as.slice(0, 1)}_${name}: `}${name} ${inner}`),
  );
  const fragment = fc
    .array(field, { minLength: 1, maxLength: 2 })
    .map((fields) => `... on ${type} { ${fields.join(" ")} }`);
  const part = depth < 3 ? fc.oneof({ weight: 4, arbitrary: field }, fragment) : field;
  return fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `{ __typename ${parts.join(" ")} }`);
}

const FIELDS = {
  PetConnection: { nodes: "Pet", edges: "PetEdge", pageInfo: "PageInfo" },
  PetEdge: { cursor: null, node: "Pet" },
  Pet: { id: null, name: null, categoryId: null, status: null },
  PageInfo: { hasNextPage: null, hasPreviousPage: null, startCursor: null, endCursor: null },
  AgentIdentity: { agent: "Agent", organization: "Organization", key: "ApiKeyIdentity" },
  Agent: { id: null, slug: null, name: null },
  Organization: { id: null, slug: null, deactivatedAt: null },
  ApiKeyIdentity: { id: null, hint: null, createdAt: null },
} as const satisfies Record<string, Record<string, string | null>>;

const argumentsOf = fc.constantFrom(
  "",
  "(first: 3)",
  "(first: $n)",
  "(status: $status)",
  "(first: $n, status: sold)",
);
const rootField = fc.oneof(
  fc.tuple(argumentsOf, selectionOf("PetConnection")).map(([args, inner]) => `pets${args} ${inner}`),
  selectionOf("AgentIdentity").map((inner) => `whoami ${inner}`),
  selectionOf("Pet").map((inner) => `pet(id: $id) ${inner}`),
);
const query = fc
  .array(rootField, { minLength: 1, maxLength: 3 })
  .map((fields) => fields.map((field, i) => `r${i}: ${field}`).join(" "))
  .map(
    (fields) =>
      `query ($n: Int, $status: PetStatus, $id: ID!, $unused: Int) {
        always: pets(first: $n, status: $status) { __typename } one: pet(id: $id) { __typename } unused: pets(first: $unused) { __typename }
        ${fields}
      }`,
  );
const variables = fc.record({
  n: fc.constantFrom(null, 1, 5, 0, 101),
  status: fc.constantFrom(null, "available", "sold"),
  id: fc.constantFrom("1", "7", "9999", "not a number"),
});

describe("a compiled query", () => {
  const gateway = suiteGateway(sqlite);
  beforeAll(async () => {
    await gateway.services.pets.seed(20);
  });

  test("gives the same results and errors as graphql-js", async () => {
    const schema = createSchema();
    const resolvers = resolversOf(gateway.services);
    const origin = { ip: null, userAgent: null, requestId: null };
    const caller = await gateway.services.acceptedKeys.resolve(gateway.key, origin);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(query, fc.array(variables, { minLength: 2, maxLength: 3 }), async (text, sets) => {
        const document = parse(text);
        fc.pre(validate(schema, document).length === 0);
        const compiled = planOperation(schema, document);
        for (const variableValues of sets) {
          // A new object each time, as for each request.
          const context = (): RequestContext => ({ caller, origin, resolvers });
          const wanted = await execute({ schema, document, variableValues, contextValue: context() });
          const found = await compiled(context(), variableValues);
          const errorsOf = ({ errors }: typeof found) =>
            errors?.map(({ message, path }) => ({ message, path }));
          // If several errors end the same parent, only the first one is reported.
          expect(errorsOf(found)?.length === undefined).toBe(errorsOf(wanted)?.length === undefined);
          if (wanted.errors === undefined) {
            expect(JSON.parse(JSON.stringify(found.data))).toEqual(JSON.parse(JSON.stringify(wanted.data)));
            compared += 1;
          }
        }
      }),
      { numRuns: cases(300) },
    );
    expect(compared).toBeGreaterThan(cases(100));
  });

  test("a skipped selection of a field that is selected twice adds nothing, however often the query runs", async () => {
    const text = `query ($no: Boolean!) {
      pets(first: 1) { pageInfo { hasNextPage } pageInfo @include(if: $no) { endCursor } }
    }`;
    const answers = [];
    for (let i = 0; i < 10; i++) answers.push((await gateway.graphql(text, { no: false })).body.data);
    expect(answers).toEqual(Array(10).fill({ pets: { pageInfo: { hasNextPage: true } } }));
  });

  test("a default of a custom scalar does not make a query run twice", async () => {
    const list = jest.spyOn(gateway.services.audit, "list");
    const text = `query ($since: DateTimeISO = "2026-01-01T00:00:00Z") {
      auditLog(first: 1, since: $since) { nodes { id } }
    }`;
    for (let i = 0; i < 5; i++) {
      const { body } = await gateway.graphql(text, {}, { token: gateway.owner });
      expect(body.data.auditLog.nodes).toHaveLength(1);
    }
    expect(list).toHaveBeenCalledTimes(5);
    list.mockRestore();
  });
});
