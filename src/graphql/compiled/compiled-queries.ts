import { type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import type { DocumentNode, FormattedExecutionResult, GraphQLSchema } from "graphql";
import type { RequestContext } from "../../auth/context";
import { mayCallAll } from "../../schema/access";
import { callerIndependentFields, memoizeByObject } from "./coalesce-runs";
import { compile } from "./compile";
import { KnownDocuments } from "./known-documents";
import type { Execute } from "./plan";

/**
 * Runs queries that come again as prepared plans. Mutations, and a query that meets any error, go Apollo's ordinary way,
 * so that errors are made in one place; a query may run twice, because it changes nothing.
 * Documents are learned only from callers that may call every root field they select: what anybody else sends is
 * forgotten with its request.
 * @returns options of Apollo's
 */
export function compiledQueries(schema: GraphQLSchema) {
  const documents = new KnownDocuments();
  // By document and operation name; forgotten together with the document.
  const plans = new WeakMap<DocumentNode, Map<string, Execute | undefined>>();
  const planOf = (document: DocumentNode, operationName: string | null): Execute | undefined => {
    const known = plans.get(document) ?? new Map<string, Execute | undefined>();
    plans.set(document, known);
    const name = operationName ?? "";
    if (!known.has(name)) known.set(name, tryCompile(schema, document, operationName));
    return known.get(name);
  };

  // Data of shared answers, which those who share it send as one text.
  const shared = new WeakSet<object>();
  const textOf = memoizeByObject((data: object) => JSON.stringify({ data }));

  const plugin: ApolloServerPlugin<RequestContext> = {
    async requestDidStart() {
      let known: DocumentNode | undefined;
      return {
        async didResolveSource(context) {
          known = documents.get(context.source);
          // Apollo parses and validates only what has no document yet.
          if (known !== undefined) Object.assign(context, { document: known });
        },
        // Only what passed all checks of the document comes here.
        async responseForOperation({ document, operation, operationName, contextValue, source, request }) {
          // Undefined, whatever its type says, for a name that the document does not have.
          if (!operation) return null;
          if (known === undefined) {
            if (mayCallAll(contextValue.caller, schema, document, operation)) documents.add(source, document);
            return null;
          }
          if (operation.operation !== "query") return null;
          const result = await planOf(document, operationName)?.(contextValue, request.variables ?? {});
          if (result?.data == null || result.errors !== undefined) return null;
          if (callerIndependentFields(schema, operation)) shared.add(result.data);
          return {
            http: { status: undefined, headers: new HeaderMap() },
            body: { kind: "single", singleResult: result },
          };
        },
      };
    },
  };

  return {
    plugin,
    // It would also keep what callers send that may not ask.
    documentStore: null,
    stringifyResult: (result: FormattedExecutionResult): string => {
      const { data } = result;
      return data != null && shared.has(data) ? textOf(data) : JSON.stringify(result);
    },
  };
}

function tryCompile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
): Execute | undefined {
  try {
    return compile(schema, document, operationName ?? undefined);
  } catch {
    return undefined;
  }
}
