import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { RequestContext } from "../context";

/** Runs a document for a caller, as graphql-js would. */
export type Execute = (
  context: RequestContext,
  variables: Readonly<Record<string, unknown>>,
) => Promise<ExecutionResult>;

/**
 * Makes a program of a valid document, several times as fast as interpreting it field by field.
 * @param operationName which operation to run, where the document has several
 * @throws Error when the document cannot be compiled
 */
export function compile(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Execute {
  const compiled = compileQuery(schema, document, operationName);
  if (!isCompiledQuery(compiled)) throw new Error(compiled.errors?.[0]?.message ?? "It cannot be compiled.");
  return async (context, variables) => {
    const { data, errors } = await compiled.query(undefined, context, { ...variables });
    return errors === undefined ? { data } : { data, errors: errors.map(standardError) };
  };
}

/** The compiler's own errors lack the `extensions` that every GraphQLError has. */
const standardError = ({ message, path, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path, originalError });
