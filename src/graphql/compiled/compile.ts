import { type DocumentNode, type GraphQLSchema, getOperationAST } from "graphql";
import { callerIndependentFields, coalesceRuns } from "./coalesce-runs";
import { type Execute, planOperation } from "./plan";

/**
 * Prepares an operation of a valid document, and lets callers who ask alike share a run where its fields allow it.
 * @throws Error when the document uses what is left to graphql-js
 */
export function compile(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Execute {
  const execute = planOperation(schema, document, operationName);
  const operation = getOperationAST(document, operationName);
  const shared = operation == null ? undefined : callerIndependentFields(schema, operation);
  return shared === undefined ? execute : coalesceRuns(execute, shared);
}
