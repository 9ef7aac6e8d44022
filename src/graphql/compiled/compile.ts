import { type DocumentNode, type GraphQLSchema, getOperationAST } from "graphql";
import { callerIndependentFields, coalesceRuns } from "./coalesce-runs";
import { type Execute, planOperation } from "./plan";

/**
 * Compiles an operation of a valid document; equal concurrent calls share a run if its fields allow it.
 * @throws Error when the document uses a feature that is left to graphql-js
 */
export function compile(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Execute {
  const execute = planOperation(schema, document, operationName);
  const operation = getOperationAST(document, operationName);
  const shared = operation == null ? undefined : callerIndependentFields(schema, operation);
  return shared === undefined ? execute : coalesceRuns(execute, shared);
}
