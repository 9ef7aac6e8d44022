import { type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from "graphql";
import type { RequestContext } from "../../auth/context";
import { getOrCreate } from "../../common/get-or-create";
import { mayCallAll } from "../../schema/access";
import type { CountDeprecated } from "../../schema/deprecation";
import { deprecatedParts } from "./deprecated-parts";
import { KnownDocuments } from "./known-documents";
import { type Execute, planOperation } from "./plan";

/** An operation of a known document, with its plan. */
export interface KnownOperation {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  execute: Execute;
}

/**
 * Runs repeated operations as compiled plans. A failed operation is rerun in Apollo, so that errors are created in one
 * place; a mutation's field is not run twice. A document is cached only if its caller may access all of its root
 * fields, so that other callers cannot fill the cache.
 * @param countDeprecated called once for each operation that uses deprecated parts of the schema
 */
export function compiledQueries(schema: GraphQLSchema, countDeprecated: CountDeprecated = () => undefined) {
  const documents = new KnownDocuments();
  // Plans by document and operation; plans are garbage-collected with their document.
  const plans = new WeakMap<DocumentNode, Map<OperationDefinitionNode, KnownOperation | undefined>>();
  const count = (
    { caller }: RequestContext,
    { document, operation }: Pick<KnownOperation, "document" | "operation">,
  ) => {
    const deprecated = deprecatedParts(schema, document, operation, caller);
    if (deprecated.length > 0) countDeprecated(caller, deprecated);
  };
  const planOf = (document: DocumentNode, operation: OperationDefinitionNode): KnownOperation | undefined => {
    const known = getOrCreate(plans, document, () => new Map());
    if (!known.has(operation)) known.set(operation, tryCompile(schema, document, operation));
    return known.get(operation);
  };

  const plugin: ApolloServerPlugin<RequestContext> = {
    async requestDidStart() {
      let known: DocumentNode | undefined;
      return {
        async didResolveSource(context) {
          known = documents.get(context.source);
          // Apollo skips parsing and validation when the document is set.
          if (known !== undefined) Object.assign(context, { document: known });
        },
        // Apollo calls this only for documents that have passed all checks.
        async responseForOperation({ document, operation, contextValue, source, request }) {
          // Despite its type, `operation` is undefined if the operation name is unknown.
          if (!operation) return null;
          if (!contextValue.answer?.attempt) count(contextValue, { document, operation });
          if (known === undefined) {
            if (mayCallAll(contextValue.caller, schema, document, operation)) documents.add(source, document);
            return null;
          }
          if (operation.operation !== "query" || contextValue.answer?.attempt) return null;
          const plan = planOf(document, operation);
          const result = await plan?.execute(contextValue, request.variables ?? {});
          if (result?.data == null || result.errors !== undefined) return null;
          return {
            http: { status: undefined, headers: new HeaderMap() },
            body: { kind: "single", singleResult: result },
          };
        },
      };
    },
  };

  return {
    /** Caches documents, and runs known ones that arrive through Apollo. */
    plugin,
    // Apollo's store would also cache documents from callers without access.
    documentStore: null,
    stringifyResult: (result: FormattedExecutionResult): string => JSON.stringify(result),
    /** Finds an operation by the exact text of its document; undefined if it is unknown or Apollo must run it. */
    find(text: string, operationName: string | null | undefined): KnownOperation | undefined {
      const document = documents.get(text);
      const operation = document && getOperationAST(document, operationName);
      return operation ? planOf(document, operation) : undefined;
    },
    /** Runs an operation and writes the response; undefined if it fails and Apollo must run it. */
    async answer(
      known: KnownOperation,
      context: RequestContext,
      variables: Record<string, unknown>,
    ): Promise<string | undefined> {
      count(context, known);
      if (context.answer) context.answer.attempt = {};
      const { data, errors } = await known.execute(context, variables);
      if (data == null || errors !== undefined) return undefined;
      return JSON.stringify({ data });
    },
  };
}

function tryCompile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): KnownOperation | undefined {
  try {
    const operationName = operation.name?.value;
    return { document, operation, execute: planOperation(schema, document, { operationName }) };
  } catch {
    return undefined;
  }
}
