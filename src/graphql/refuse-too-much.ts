import type { ApolloServerPlugin } from "@apollo/server";
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
} from "graphql";
import type { RequestContext } from "../context";
import { GatewayError } from "../errors";
import { type Cost, costWith, mostOf } from "./cost";
import { expand } from "./expand";
import { inspect } from "./inspect";
import { MOST_VALUES, within } from "./limits";

/** What Apollo goes on with in place of a document that is refused, until it lets a plugin refuse. */
const NOTHING = parse("{ __typename }");

type Costs = ReadonlyMap<OperationDefinitionNode, Cost>;

/**
 * Refuses documents that are costly to validate before they are validated, and operations that are costly to answer,
 * with the variables that they came with, before they run. Apollo would answer 500 if a plugin threw before
 * the operation is known, so until then a refused document has the place of another one.
 */
export function refuseTooMuch(schema: GraphQLSchema): ApolloServerPlugin<RequestContext> {
  // Documents that the server keeps are measured once.
  const known = new WeakMap<DocumentNode, Costs>();
  const measure = (document: DocumentNode): Costs => {
    const costs = known.get(document) ?? expand(schema, document);
    known.set(document, costs);
    return costs;
  };

  const affordable = (document: DocumentNode, operation: OperationDefinitionNode | null, variables = {}) => {
    const cost = operation ? (measure(document).get(operation) ?? 0) : 0;
    if (mostOf(cost) <= MOST_VALUES) return;
    const values = costWith(cost, variables);
    if (values <= MOST_VALUES) return;
    throw new GatewayError(
      "query_too_complex",
      `The answer may hold ${values} values, but at most ${MOST_VALUES}: select fewer fields or smaller pages.`,
    );
  };

  return {
    async requestDidStart() {
      let refusal: unknown;
      const refuseIf = (context: object, check: () => void) => {
        try {
          check();
        } catch (error) {
          refusal = error;
          Object.assign(context, { document: NOTHING });
        }
      };
      return {
        async didResolveSource(context) {
          refuseIf(context, () => within("characters", context.source.length));
        },
        async validationDidStart(context) {
          const document = context.document as DocumentNode;
          refuseIf(context, () => {
            inspect(document);
            measure(document);
            const { operationName, variables } = context.request;
            affordable(document, getOperationAST(document, operationName) ?? null, variables);
          });
        },
        async didResolveOperation({ document, operation, request }) {
          if (refusal !== undefined) throw refusal;
          affordable(document, (operation as OperationDefinitionNode) ?? null, request.variables);
        },
      };
    },
  };
}
