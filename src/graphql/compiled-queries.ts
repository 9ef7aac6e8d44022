import { type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import type { DocumentNode, GraphQLSchema } from "graphql";
import type { RequestContext } from "../context";
import { compile, type Execute } from "./compile";

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
 * Runs queries that come again and again as compiled programs. Mutations, and a query that meets any error, go
 * Apollo's ordinary way, so that errors are made in one place; a query may be run twice, for it changes nothing.
 */
export function compiledQueries(): ApolloServerPlugin<RequestContext> {
  // Forgotten together with the document, which Apollo keeps by its text in a store of bounded size.
  const plans = new WeakMap<DocumentNode, Map<string, Plan>>();

  const planOf = (document: DocumentNode, operationName: string): Plan => {
    const known = plans.get(document) ?? new Map<string, Plan>();
    const plan = known.get(operationName) ?? { uses: 0, execute: undefined };
    plans.set(document, known.set(operationName, plan));
    return plan;
  };

  return {
    async requestDidStart() {
      return {
        async responseForOperation({ schema, document, operation, operationName, contextValue, request }) {
          // Undefined, whatever its type says, for a name that the document does not have.
          if (operation?.operation !== "query") return null;
          const plan = planOf(document, operationName ?? "");
          plan.uses += 1;
          if (plan.uses === USES_BEFORE_COMPILING) plan.execute = tryCompile(schema, document, operationName);
          const result = await plan.execute?.(contextValue, request.variables ?? {});
          if (result === undefined || result.errors !== undefined) return null;
          return {
            http: { status: undefined, headers: new HeaderMap() },
            body: { kind: "single", singleResult: result },
          };
        },
      };
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
