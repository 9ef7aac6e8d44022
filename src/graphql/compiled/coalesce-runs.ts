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

/** The root fields of a query that answers everybody alike; undefined for every other operation. */
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
 * Runs what several callers ask for alike once for all of them: those who ask in the same turn, and those who ask
 * while the run before is under way. Nothing is kept: each is answered by a run that began after it asked, and has
 * shown first that it may ask.
 */
export function coalesceRuns(execute: Execute, fields: readonly RootField[]): Execute {
  const run = coalesce(
    async (calls: readonly Call[]) => {
      const alike = new Map<string, Promise<ExecutionResult>>();
      return Promise.all(
        calls.map(({ key, context, variables }) => {
          const result = alike.get(key) ?? execute(context, variables);
          alike.set(key, result);
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

/** A text that equal variables have in common; undefined for what JSON cannot say, such as a bigint. */
function keyOf(variables: Variables): string | undefined {
  try {
    return JSON.stringify(variables);
  } catch {
    return undefined;
  }
}

/** Makes a text of an object once, for as long as somebody holds the object. */
export function memoizeByObject<T>(write: (value: T) => string): (value: T) => string {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (typeof value !== "object" || value === null) return write(value);
    const text = texts.get(value) ?? write(value);
    texts.set(value, text);
    return text;
  };
}
