import { type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import { type DocumentNode, type FormattedExecutionResult, type GraphQLSchema, parse } from "graphql";
import type { RequestContext } from "../context";
import { compile, type Execute } from "./compile";
import { remembered, sharedFields } from "./shared";
import { Templates } from "./templates";

/** Compiling costs as much as some twenty runs, so a document has to prove that it comes again. */
const USES_BEFORE_COMPILING = 5;
/** Longest document that is compiled (characters): compiling takes the longer the larger it is. */
const LONGEST_COMPILED = 10_000;

/** What is known of one operation of a document that the server keeps. */
interface Plan {
  uses: number;
  execute: Execute | undefined;
}

/**
 * Runs queries that come again and again as compiled programs, whatever literals are written into them. Mutations, and
 * a query that meets any error, go Apollo's ordinary way with the document as it came, so that errors are made in one
 * place; a query may be run twice, for it changes nothing.
 * @returns options of Apollo's
 */
export function compiledQueries(schema: GraphQLSchema) {
  const templates = new Templates(schema);
  // Forgotten together with the template.
  const plans = new WeakMap<DocumentNode, Map<string, Plan>>();
  const planOf = (document: DocumentNode, operationName: string): Plan => {
    const known = plans.get(document) ?? new Map<string, Plan>();
    const plan = known.get(operationName) ?? { uses: 0, execute: undefined };
    plans.set(document, known.set(operationName, plan));
    return plan;
  };

  // Data of shared answers, which those who share it send as one text.
  const shared = new WeakSet<object>();
  const textOf = remembered((data: object) => JSON.stringify({ data }));

  const plugin: ApolloServerPlugin<RequestContext> = {
    async requestDidStart({ request }) {
      const { variables } = request;
      let matched = false;
      let rewritten = false;
      return {
        async didResolveSource(context) {
          const found = templates.match(context.source);
          if (found === undefined) return;
          matched = true;
          rewritten = Object.keys(found.variables).length > 0;
          // Apollo parses and validates what has no document yet.
          Object.assign(context, { document: found.document });
          request.variables = { ...variables, ...found.variables };
        },
        // Only what nothing refused comes here.
        async responseForOperation(context) {
          const { document, operation, operationName, contextValue, source } = context;
          if (!matched) templates.learn(source, document);
          // Undefined, whatever its type says, for a name that the document does not have.
          if (operation?.operation === "query") {
            const plan = planOf(document, operationName ?? "");
            plan.uses += 1;
            if (plan.uses === USES_BEFORE_COMPILING)
              plan.execute = tryCompile(schema, document, operationName);
            const result = await plan.execute?.(contextValue, request.variables ?? {});
            if (result?.data != null && result.errors === undefined) {
              if (sharedFields(schema, operation)) shared.add(result.data);
              return {
                http: { status: undefined, headers: new HeaderMap() },
                body: { kind: "single", singleResult: result },
              };
            }
          }
          if (rewritten) {
            Object.assign(context, { document: parse(source) });
            request.variables = variables;
          }
          return null;
        },
      };
    },
  };

  return {
    plugin,
    // The templates are one.
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
  if ((document.loc?.source.body.length ?? 0) > LONGEST_COMPILED) return undefined;
  try {
    return compile(schema, document, operationName ?? undefined);
  } catch {
    return undefined;
  }
}
