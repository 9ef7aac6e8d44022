import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
  validate,
} from "graphql";
import { isAllowed } from "../../src/auth/authorize";
import type { Caller } from "../../src/auth/caller";
import type { RequestContext } from "../../src/auth/context";
import { resolversOf } from "../../src/features";
import { type Execute, planOperation } from "../../src/graphql/compiled/plan";
import { toGatewayError } from "../../src/graphql/errors";
import { createSchema } from "../../src/graphql/schema";
import { accessOf } from "../../src/schema/access";
import { queryDocument } from "../fuzz/documents";
import { sqlite } from "../support/engines";
import { mint } from "../support/gateway";
import fc from "../support/generated";
import { addMember } from "../support/people";
import { suiteGateway } from "../support/suite";
import { TIER } from "../support/tiers";

const CALLERS = ["an agent", "a manager", "a member", "an anonymous caller"] as const;
/** Number of documents for each caller. */
const DOCUMENTS = TIER === "default" ? 250 : 2_500;
/** Number of additional documents for each field that no document contained. */
const DOCUMENTS_OF_A_FIELD = 200;

const origin = { ip: null, userAgent: null, requestId: null };
/** Parses a string, which may contain a literal that does not parse. */
function parsed(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

const codesOf = ({ errors = [] }: ExecutionResult) => errors.map((error) => toGatewayError(error).code);
const textOf = (data: unknown) => JSON.stringify(data);

describe("a planned query", () => {
  const gateway = suiteGateway(sqlite);
  let callers: Record<(typeof CALLERS)[number], Caller>;
  let ids: string[];
  let cursors: string[];

  beforeAll(async () => {
    await gateway.services.pets.seed(20);
    const keys = [await mint(gateway), await mint(gateway)];
    const sent = await gateway.rest("POST", "/messages", { body: { message: "hello" } });
    const member = await addMember(gateway);
    ids = ["1", "7", sent.body.id, ...keys.map(({ id }) => id)];
    const { body } = await gateway.graphql("{ pets(first: 5) { edges { cursor } } }");
    cursors = body.data.pets.edges.map(({ cursor }: { cursor: string }) => cursor);
    callers = {
      "an agent": await gateway.services.acceptedKeys.resolve(gateway.key, origin),
      "a manager": await gateway.services.sessions.resolve(gateway.owner, origin),
      "a member": await gateway.services.sessions.resolve(member.token, origin),
      "an anonymous caller": { kind: "anonymous" },
    };
  });

  test.each(CALLERS)("of %s gives the same results and errors as graphql-js, byte for byte", async (who) => {
    const schema = createSchema();
    const resolvers = resolversOf(gateway.services);
    const allFields = Object.values(schema.getQueryType()?.getFields() ?? {});
    const allowed = allFields.filter(
      (field) =>
        // No generated token belongs to an invitation.
        field.name !== "invitation" && isAllowed(callers[who], accessOf(field), false),
    );
    const preferred = allowed.map(({ name }) => name);
    const tried = new Set<string>();
    let answered = 0;
    const compare = async ({ query, variables: variableValues }: { query: string; variables: object }) => {
      const document = parsed(query);
      if (document === undefined || validate(schema, document).length > 0) return;
      let run: Execute;
      try {
        run = planOperation(schema, document);
      } catch {
        expect(query).toMatch(/@(skip|include)/);
        return;
      }
      const context = (): RequestContext => ({ caller: callers[who], origin, resolvers });
      const variables = variableValues as Record<string, unknown>;
      const ask = async () =>
        execute({ schema, document, variableValues: variables, contextValue: context() });
      const wanted = await ask();
      const found = await run(context(), variables);
      expect(found.errors === undefined).toBe(wanted.errors === undefined);
      // The first of several errors ends a planned run.
      for (const error of found.errors ?? []) expect(codesOf(wanted)).toContain(toGatewayError(error).code);
      for (const [name] of query.matchAll(/\w+/g)) tried.add(name);
      if (wanted.errors !== undefined) return;
      const text = textOf(found.data);
      // The data, such as a report on the last minutes, may have changed between the two runs.
      if (text !== textOf(wanted.data)) expect(text).toBe(textOf((await ask()).data));
      answered += 1;
    };
    const run = (fields: readonly string[], numRuns: number) =>
      fc.assert(fc.asyncProperty(queryDocument(ids, cursors, fields), compare), { numRuns });
    const untried = () => allFields.map(({ name }) => name).filter((name) => !tried.has(name));
    await run(preferred, DOCUMENTS);
    if (TIER !== "default") {
      for (const name of untried()) await run([name], DOCUMENTS_OF_A_FIELD);
      expect(untried()).toEqual([]);
    }
    if (allowed.length > 0) expect(answered).toBeGreaterThan(TIER === "default" ? 0 : DOCUMENTS / 20);
  });

  test.each([
    ["a directive", "{ a @include(if: true) }"],
    ["a name that would set the prototype", "{ __proto__: a }"],
    ["introspection", "{ __schema { types { name } } }"],
    ["several operations and no name", "query A { a } query B { a }"],
    ["a subscription", "subscription { a }"],
  ])("leaves %s to graphql-js", (_, text) => {
    const type = (name: string) => new GraphQLObjectType({ name, fields: { a: { type: GraphQLString } } });
    const schema = new GraphQLSchema({ query: type("Query"), subscription: type("Subscription") });
    expect(() => planOperation(schema, parse(text))).toThrow();
  });

  test("runs the fields of a mutation one after the other, and stops at the first error", async () => {
    const order: string[] = [];
    const field = (name: string, fails = false) => ({
      type: GraphQLString,
      resolve: async () => {
        order.push(`${name} starts`);
        await null;
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      },
    });
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({ name: "Query", fields: { a: field("a") } }),
      mutation: new GraphQLObjectType({
        name: "Mutation",
        fields: { a: field("a"), b: field("b", true), c: field("c") },
      }),
    });
    const context: RequestContext = { caller: { kind: "anonymous" }, origin };
    const ok = await planOperation(schema, parse("mutation { x: c, a }"))(context, {});
    expect(ok).toEqual({ data: { x: "c", a: "a" } });
    order.length = 0;
    const { data, errors } = await planOperation(schema, parse("mutation { a b c }"))(context, {});
    expect([data, errors?.map(({ message }) => message)]).toEqual([undefined, ["b"]]);
    expect(order).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });
});
