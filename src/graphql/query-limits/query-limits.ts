import type { ApolloServerPlugin } from "@apollo/server";
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { type Caller, keyOf } from "../../auth/caller";
import type { RequestContext } from "../../auth/context";
import { getOrCreate } from "../../common/get-or-create";
import { GatewayError } from "../../errors";
import type { RateLimit } from "../../rate-limits/rate-limit";
import { isSmallResponse, type ResponseBudget } from "../../rate-limits/response-budget";
import { isForAnyone } from "../../schema/access";
import { assertDocumentLimits } from "./document-limits";
import {
  assertAtMost,
  MAX,
  MAX_READ_CHARACTERS,
  MAX_RESPONSE_CHARACTERS,
  MAX_RESPONSE_VALUES,
} from "./limits";
import { noCounts, type QueryCost, queryCosts } from "./query-cost";

/** Replaces a rejected document until Apollo allows a plugin to throw. */
const PLACEHOLDER = parse("{ __typename }");

const FREE: QueryCost = { values: 0, characters: 0, rootFields: 0, readCharacters: 0, counts: noCounts() };

type Variables = Readonly<Record<string, unknown>>;

/** Limits on a request other than its size. */
export interface RequestLimits {
  /** True if the schema is hidden from callers without a credential. */
  schemaHidden: boolean;
  /** Counts the root fields of mutations as requests. */
  rateLimit: RateLimit;
  responses: ResponseBudget;
}

/**
 * Rejects expensive documents before validation and expensive operations before execution. Each root field of
 * a mutation counts as a request with the key, and a large response waits for its share of the response
 * budget. A placeholder replaces a rejected document until the operation is resolved, because Apollo responds
 * with 500 if a plugin throws earlier.
 */
export function queryLimits(schema: GraphQLSchema, { schemaHidden, rateLimit, responses }: RequestLimits) {
  const costOf = costsOf(schema);

  const assertSchemaMayBeSeen = (document: DocumentNode, caller: Caller) => {
    if (!schemaHidden || caller.kind !== "anonymous" || isForAnyone(schema, document)) return;
    if (caller.sessionEnded) throw new GatewayError("invalid_session");
    // To hide the schema, the message is the same whether or not the fields exist.
    throw new GatewayError(
      "unauthenticated",
      "This request requires an Authorization header: Bearer <API_KEY>, or <session token>, from signIn.",
    );
  };

  const plugin: ApolloServerPlugin<RequestContext> = {
    async requestDidStart() {
      let rejection: unknown;
      const rejectIf = (context: object, check: () => void) => {
        try {
          check();
        } catch (error) {
          rejection = error;
          Object.assign(context, { document: PLACEHOLDER });
        }
      };
      return {
        async didResolveSource(context) {
          rejectIf(context, () => assertAtMost("characters", context.source.length));
        },
        async validationDidStart(context) {
          const document = context.document as DocumentNode;
          rejectIf(context, () => {
            assertDocumentLimits(document);
            const { caller } = context.contextValue;
            assertSchemaMayBeSeen(document, caller);
            const { operationName, variables } = context.request;
            assertAffordable(costOf(document, getOperationAST(document, operationName), variables));
            // The error has no details, because messages from graphql-js name types and fields of the hidden schema.
            if (!schemaHidden || caller.kind !== "anonymous") return;
            const faults = validate(schema, document, undefined, { maxErrors: 1 });
            if (faults.length > 0) throw new GatewayError("graphql_validation_failed");
          });
        },
        async didResolveOperation({ document, operation, request, contextValue, response }) {
          if (rejection !== undefined) throw rejection;
          const { caller } = contextValue;
          assertSchemaMayBeSeen(document, caller);
          const cost = costOf(document, operation as OperationDefinitionNode | null, request.variables);
          assertAffordable(cost);
          const key = keyOf(caller);
          if (key !== undefined && operation?.operation === "mutation" && cost.rootFields > 1) {
            // Counts all root fields but the first, which was counted when the request was authenticated.
            const counted = rateLimit(key, cost.rootFields - 1);
            for (const [name, value] of Object.entries(counted?.headers ?? {}))
              response.http.headers.set(name, String(value));
            if (counted?.rejection) throw counted.rejection;
          }
          // Only an HTTP response returns its share. A WebSocket needs none: it holds one event at a time.
          if (request.http !== undefined) await responses.admit(contextValue, cost.characters);
        },
      };
    },
  };

  return {
    plugin,
    /** True if a valid operation is within all limits and has nothing to count or wait for. */
    isFree(
      document: DocumentNode,
      operation: OperationDefinitionNode,
      variables: Variables,
      caller: Caller,
    ): boolean {
      if (schemaHidden && caller.kind === "anonymous") return false;
      const cost = costOf(document, operation, variables);
      return isSmall(cost) && (operation.operation === "query" || cost.rootFields === 1);
    },
  };
}

/** Estimates costs once per document, at max page sizes, and with the variables only if that estimate is large. */
function costsOf(schema: GraphQLSchema) {
  const known = new WeakMap<DocumentNode, ReadonlyMap<OperationDefinitionNode, QueryCost>>();
  return (
    document: DocumentNode,
    operation: OperationDefinitionNode | null | undefined,
    variables: Variables = {},
  ): QueryCost => {
    const costs = getOrCreate(known, document, () => queryCosts(schema, document));
    if (operation == null) return FREE;
    const most = costs.get(operation) ?? FREE;
    if (isSmall(most) || !operation.variableDefinitions?.length) return most;
    return queryCosts(schema, document, variables).get(operation) ?? FREE;
  };
}

/** True if an operation passes all limits without waiting for its share of the response budget. */
const isSmall = ({ values, characters, readCharacters, counts }: QueryCost): boolean =>
  values <= MAX_RESPONSE_VALUES &&
  isSmallResponse(characters) &&
  readCharacters <= MAX_READ_CHARACTERS &&
  limitsOf(counts).every((limit) => counts[limit] <= MAX[limit]);

const limitsOf = (counts: QueryCost["counts"]) => Object.keys(counts) as (keyof typeof counts)[];

/** @throws GatewayError `query_too_complex` for a response that would be too large or require too many reads */
function assertAffordable({ values, characters, readCharacters, counts }: QueryCost): void {
  for (const limit of limitsOf(counts)) assertAtMost(limit, counts[limit]);
  const [has, max, unit] =
    values > MAX_RESPONSE_VALUES
      ? [values, MAX_RESPONSE_VALUES, "values"]
      : [characters, MAX_RESPONSE_CHARACTERS, "characters"];
  if (has > max) {
    throw new GatewayError(
      "query_too_complex",
      `The response could have ${has} ${unit}, but at most ${max} are allowed. Select fewer fields or request smaller pages.`,
    );
  }
  if (readCharacters > MAX_READ_CHARACTERS) {
    throw new GatewayError(
      "query_too_complex",
      `The requested objects could have ${readCharacters} characters in all, but at most ${MAX_READ_CHARACTERS} are allowed. Request fewer objects or smaller pages.`,
    );
  }
}
