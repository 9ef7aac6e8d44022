import { type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import type { DocumentNode, FormattedExecutionResult, GraphQLSchema, OperationDefinitionNode } from "graphql";
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
  // Plans by document and operation; a plan is collected together with its document.
  const plans = new WeakMap<DocumentNode, Map<OperationDefinitionNode, Plan | undefined>>();
  const planOf = (document: DocumentNode, operation: OperationDefinitionNode): Plan | undefined => {
    let known = plans.get(document);
    if (known === undefined) {
      known = new Map();
      plans.set(document, known);
    }
    if (!known.has(operation)) known.set(operation, tryCompile(schema, document, operation));
    return known.get(operation);
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
        async responseForOperation({ document, operation, contextValue, source, request }) {
          // Contrary to its type, it is undefined for an unknown operation name.
          if (!operation) return null;
          if (known === undefined) {
            if (mayCallAll(contextValue.caller, schema, document, operation)) documents.add(source, document);
            return null;
          }
          if (operation.operation !== "query") return null;
          const plan = planOf(document, operation);
          const result = await plan?.execute(contextValue, request.variables ?? {});
          if (result?.data == null || result.errors !== undefined) return null;
          if (plan?.isShared) shared.add(result.data);
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

/** A compiled operation. */
interface Plan {
  execute: Execute;
  /** Whether equal concurrent calls get the same result. */
  isShared: boolean;
}

function tryCompile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Plan | undefined {
  try {
    return {
      execute: compile(schema, document, operation.name?.value),
      isShared: callerIndependentFields(schema, operation) !== undefined,
    };
  } catch {
    return undefined;
  }
}
