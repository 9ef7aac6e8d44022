import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from "graphql";
import { authorize } from "../../auth/authorize";
import type { RequestContext } from "../../auth/context";
import { coalesce } from "../../common/coalesce";
import { accessOf } from "../../schema/access";
import { isCallerIndependent } from "../../schema/caller-independent";
import type { Execute } from "./plan";

type Variables = Parameters<Execute>[1];
type RootField = GraphQLField<unknown, unknown>;

/** Returns the root fields of a query whose answer is the same for all callers; undefined for other operations. */
export function callerIndependentFields(
  schema: GraphQLSchema,
  { operation, selectionSet }: OperationDefinitionNode,
): RootField[] | undefined {
  if (operation !== "query") return undefined;
  const fields = selectionSet.selections.map((node) =>
    node.kind === Kind.FIELD ? schema.getQueryType()?.getFields()[node.name.value] : undefined,
  );
  return fields.every((field): field is RootField => field !== undefined && isCallerIndependent(field))
    ? fields
    : undefined;
}

/**
 * Coalesces equal concurrent calls into one run. Results are not cached: each call is authorized first and answered by a
 * run that starts after the call arrived.
 * @param execute runs the query
 * @param fields root fields of the query, to authorize each caller
 */
export function coalesceRuns(execute: Execute, fields: readonly RootField[]): Execute {
  const run = coalesce(
    async (calls: readonly Call[]) => {
      const results = new Map<string, Promise<ExecutionResult>>();
      return Promise.all(
        calls.map(({ key, context, variables }) => {
          const result = results.get(key) ?? execute(context, variables);
          results.set(key, result);
          return result;
        }),
      );
    },
    { name: "shared answer" },
  );
  return async (context, variables) => {
    try {
      for (const field of fields) authorize(context.caller, accessOf(field), false);
    } catch (cause) {
      return { errors: [new GraphQLError("refused", { originalError: cause as Error })] };
    }
    const key = keyOf(variables);
    return key === undefined ? execute(context, variables) : run({ key, context, variables });
  };
}

interface Call {
  key: string;
  context: RequestContext;
  variables: Variables;
}

/** Returns a key for equal variables; undefined for values that JSON cannot represent, such as a bigint. */
function keyOf(variables: Variables): string | undefined {
  try {
    return JSON.stringify(variables);
  } catch {
    return undefined;
  }
}

/** Memoizes a serializer by object identity, for the lifetime of each object. */
export function memoizeByObject<T>(write: (value: T) => string): (value: T) => string {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (typeof value !== "object" || value === null) return write(value);
    const text = texts.get(value) ?? write(value);
    texts.set(value, text);
    return text;
  };
}
