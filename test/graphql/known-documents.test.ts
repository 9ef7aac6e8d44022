import type { GraphQLRequestContext } from "@apollo/server";
import { getOperationAST, parse } from "graphql";
import type { Caller } from "../../src/auth/caller";
import type { RequestContext } from "../../src/auth/context";
import { resolversOf } from "../../src/features";
import { compiledQueries } from "../../src/graphql/compiled/compiled-queries";
import { KnownDocuments } from "../../src/graphql/compiled/known-documents";
import { createSchema } from "../../src/graphql/schema";
import { sqlite } from "../support/engines";
import { addMember } from "../support/people";
import { suiteGateway } from "../support/suite";

const origin = { ip: null, userAgent: null, requestId: null };

describe("a document", () => {
  const gateway = suiteGateway(sqlite);
  let callers: Record<string, Caller>;
  beforeAll(async () => {
    const member = await addMember(gateway);
    callers = {
      agent: await gateway.services.acceptedKeys.resolve(gateway.key, origin),
      manager: await gateway.services.sessions.resolve(gateway.owner, origin),
      member: await gateway.services.sessions.resolve(member.token, origin),
      anonymous: { kind: "anonymous" },
    };
  });

  /**
   * Sends a document through the hooks that Apollo calls.
   * @returns true if it was known before
   */
  async function send(
    { plugin }: ReturnType<typeof compiledQueries>,
    source: string,
    caller: string,
  ): Promise<boolean> {
    const document = parse(source);
    const context = {
      source,
      request: { variables: {} },
      contextValue: { caller: callers[caller], origin, resolvers: resolversOf(gateway.services) },
    } as unknown as GraphQLRequestContext<RequestContext>;
    const listener = await plugin.requestDidStart?.(context);
    await listener?.didResolveSource?.(context as never);
    const known = context.document !== undefined;
    const operation = getOperationAST(document, undefined);
    const whole = { document, ...context, operation, operationName: null };
    await listener?.responseForOperation?.(whole as never);
    return known;
  }

  test.each([
    ["a key's query", "{ whoami { agent { id } } }", ["agent"]],
    ["a member's query", "{ agents { id } }", ["manager", "member"]],
    ["a manager's query", "{ apiKeys { nodes { id } } }", ["manager"]],
    ["a mutation", 'mutation { sendMessage(input: { text: "a" }) { id } }', ["agent"]],
    [
      "a query through fragments",
      "{ ...f ... { ...f } } fragment f on Query { whoami { agent { id } } }",
      ["agent"],
    ],
    ["a query that is only partly allowed", "{ whoami { agent { id } } agents { id } }", []],
    ["a query for everyone", "{ __typename }", ["agent", "manager", "member"]],
  ])("%s is learned only from callers who may run all of it", async (_, text, allowed) => {
    const schema = createSchema();
    for (const caller of Object.keys(callers)) {
      const compiled = compiledQueries(schema);
      for (let i = 0; i < 10; i++) await send(compiled, text, caller);
      expect([caller, await send(compiled, text, "agent")]).toEqual([caller, allowed.includes(caller)]);
    }
  });

  test("is forgotten when others need its room, which depends on its tokens and not on its length", () => {
    const documents = new KnownDocuments();
    const large = (i: number) => `{ ${Array.from({ length: 500 }, (_, j) => `a${j}: x${i}`).join(" ")} }`;
    for (let i = 0; i < 100; i++) documents.add(large(i), parse(large(i)));
    const kept = Array.from({ length: 100 }, (_, i) => documents.get(large(i))).filter(Boolean);
    expect(kept.length).toBeLessThan(40);
    expect(documents.get(large(99))).toBeDefined();
    const long = `{ a } # ${"x".repeat(10_000)}`;
    documents.add(long, parse(long));
    expect(documents.get(long)).toBeUndefined();
  });
});
