import { type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import type { DocumentNode, FormattedExecutionResult, GraphQLSchema } from "graphql";
import type { RequestContext } from "../../auth/context";
import { mayCallAll } from "../../schema/access";
import { callerIndependentFields, memoizeByObject } from "./coalesce-runs";
import { compile } from "./compile";
import { KnownDocuments } from "./known-documents";
import type { Execute } from "./plan";

/**
 * Runs repeated queries as compiled plans. Mutations and failed queries run in Apollo, so that errors are created in one
 * place; running a query twice is safe. Only documents from callers with access to all their root fields are kept, so
 * that other callers cannot fill the cache.
 * @returns options for Apollo Server
 */
export function compiledQueries(schema: GraphQLSchema) {
  const documents = new KnownDocuments();
  // Plans by document and operation name; a plan is collected together with its document.
  const plans = new WeakMap<DocumentNode, Map<string, Execute | undefined>>();
  const planOf = (document: DocumentNode, operationName: string | null): Execute | undefined => {
    const known = plans.get(document) ?? new Map<string, Execute | undefined>();
    plans.set(document, known);
    const name = operationName ?? "";
    if (!known.has(name)) known.set(name, tryCompile(schema, document, operationName));
    return known.get(name);
  };

  // Results of coalesced runs, which are serialized once.
  const shared = new WeakSet<object>();
  const textOf = memoizeByObject((data: object) => JSON.stringify({ data }));

  const plugin: ApolloServerPlugin<RequestContext> = {
    async requestDidStart() {
      let known: DocumentNode | undefined;
      return {
        async didResolveSource(context) {
          known = documents.get(context.source);
          // Apollo skips parsing and validation when the document is set.
          if (known !== undefined) Object.assign(context, { document: known });
        },
        // Apollo calls this only for documents that passed all checks.
        async responseForOperation({ document, operation, operationName, contextValue, source, request }) {
          // Contrary to its type, it is undefined for an unknown operation name.
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
    // Apollo's store would also keep documents of callers without access.
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
