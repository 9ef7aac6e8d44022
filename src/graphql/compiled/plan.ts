// Plans are created and executed in the same file, because the planner builds the closures to execute.

import {
  type DocumentNode,
  defaultFieldResolver,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from "graphql";
import type { RequestContext } from "../../auth/context";
import { getOrCreate } from "../../common/get-or-create";
import { isWrittenAsStored } from "../../schema/written-as-stored";
import { type ReadArguments, readArguments } from "./plan-arguments";
import { variableCoercion } from "./plan-variables";

/** Runs an operation for a caller, with the same result as graphql-js, except that the first error ends the run. */
export type Execute = (
  context: RequestContext,
  variables: Readonly<Record<string, unknown>>,
) => Promise<ExecutionResult>;

interface Run {
  context: RequestContext;
  variables: Record<string, unknown>;
}

type Path = GraphQLResolveInfo["path"] | undefined;

/** Completes the value that a resolver returned; returns a promise only if the value contains one. */
type Complete = (value: unknown, run: Run, path: Path) => unknown;
type ResolveField = (source: unknown, run: Run, path: Path) => unknown;

/** Thrown if the document uses a feature that only graphql-js supports. */
class NotPlannable extends Error {}

interface PlanOptions {
  /** Name of the operation if the document has several. */
  operationName?: string | undefined;
  /** True to return the objects of fields with `@WrittenAsStored` whole, without selecting their fields. */
  asStored?: boolean;
}

/**
 * Compiles a valid operation into closures over the schema that select fields, read arguments and complete values. No
 * code is generated from the document.
 * @throws Error for features that only graphql-js supports: directives, introspection, abstract types and subscriptions
 */
export function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, asStored = false }: PlanOptions = {},
): Execute {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root || operation.operation === "subscription")
    throw new NotPlannable("no query or mutation");
  rejectDirectives(document);
  const planner = new Planner(schema, operation, fragmentsOf(document), asStored);
  const select = planner.planRoot(root, operation.selectionSet);
  const definitions = operation.variableDefinitions ?? [];
  // Assigning the property `__proto__` of a plain object would set its prototype.
  if (definitions.some(({ variable }) => variable.name.value === "__proto__"))
    throw new NotPlannable("__proto__");
  const coerce = variableCoercion(schema, definitions);

  return async (context, variables) => {
    const { coerced, errors } = coerce(variables);
    if (errors !== undefined) return { errors };
    try {
      const data = await select(undefined, { context, variables: coerced }, undefined);
      return { data: data as Record<string, unknown> };
    } catch (error) {
      return { errors: [error as GraphQLError] };
    }
  };
}

class Planner {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly operation: OperationDefinitionNode,
    private readonly fragments: Record<string, FragmentDefinitionNode>,
    private readonly asStored: boolean,
  ) {}

  /** Plans the operation; the fields of Mutation run serially. */
  planRoot(root: GraphQLObjectType, set: SelectionSetNode): ResolveField {
    const fields = this.planFields(root, [set]).map(({ key, nodes, resolve }) => ({
      key,
      resolve: locateErrors(resolve, nodes, key),
    }));
    if (this.operation.operation === "query") return selectConcurrently(fields);
    return async (source, run, path) => {
      const result: Record<string, unknown> = {};
      for (const { key, resolve } of fields) result[key] = await resolve(source, run, path);
      return result;
    };
  }

  private planFields(parent: GraphQLObjectType, sets: readonly SelectionSetNode[]) {
    return [...this.collect(parent, sets)].map(([key, nodes]) => ({
      key,
      nodes,
      resolve: this.planField(parent, key, nodes),
    }));
  }

  /** Collects the selected fields by response name (specification, 6.3.2). */
  private collect(
    parent: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    fields = new Map<string, FieldNode[]>(),
    visited = new Set<string>(),
  ): Map<string, FieldNode[]> {
    for (const node of sets.flatMap(({ selections }) => selections)) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        // Assigning the property `__proto__` of a plain object would set its prototype.
        if (key === "__proto__") throw new NotPlannable(key);
        getOrCreate(fields, key, () => []).push(node);
        continue;
      }
      const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : undefined;
      if (name !== undefined && visited.has(name)) continue;
      if (name !== undefined) visited.add(name);
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments[node.name.value] : node;
      const condition = fragment?.typeCondition?.name.value ?? parent.name;
      if (fragment === undefined || condition !== parent.name) throw new NotPlannable("an abstract type");
      this.collect(parent, [fragment.selectionSet], fields, visited);
    }
    return fields;
  }

  private planField(parent: GraphQLObjectType, key: string, nodes: FieldNode[]): ResolveField {
    const [node] = nodes as [FieldNode];
    const fieldName = node.name.value;
    if (fieldName === "__typename") return () => parent.name;
    const field = parent.getFields()[fieldName];
    if (field === undefined) throw new NotPlannable(fieldName);
    if (this.asStored && isWrittenAsStored(field))
      return (source) => (source as Record<string, unknown>)[fieldName];
    const coordinate = `${parent.name}.${fieldName}`;
    const complete = this.planType(field.type, nodes, coordinate);
    const { resolve = defaultFieldResolver } = field;
    if (resolve === defaultFieldResolver && field.args.length === 0) {
      const isLeaf = isLeafType(getNullableType(field.type));
      return (source, run, path) => {
        const value = (source as Record<string, unknown>)[fieldName];
        // Leaf values need no path of their own, because they have no fields.
        const at = isLeaf ? path : { prev: path, key, typename: parent.name };
        if (typeof value === "function") return complete(value.call(source, {}, run.context), run, at);
        return isPromise(value) ? value.then((each) => complete(each, run, at)) : complete(value, run, at);
      };
    }
    const readArgs: ReadArguments = readArguments(field, node);
    const { schema, operation, fragments } = this;
    return (source, run, path) => {
      const at = { prev: path, key, typename: parent.name };
      const value = resolve(source, readArgs(run.variables), run.context, {
        fieldName,
        fieldNodes: nodes,
        returnType: field.type,
        parentType: parent,
        path: at,
        schema,
        fragments,
        rootValue: undefined,
        operation,
        variableValues: run.variables,
      });
      return isPromise(value) ? value.then((each) => complete(each, run, at)) : complete(value, run, at);
    };
  }

  /** @param coordinate type and field name for errors, such as `Pet.name` */
  private planType(type: GraphQLOutputType, nodes: readonly FieldNode[], coordinate: string): Complete {
    if (isNonNullType(type)) {
      const complete = this.planType(type.ofType, nodes, coordinate);
      const notNull = (value: unknown) => {
        if (value === null) throw new Error(`Cannot return null for non-nullable field ${coordinate}.`);
        return value;
      };
      return (value, run, path) => {
        const completed = complete(value, run, path);
        return isPromise(completed) ? completed.then(notNull) : notNull(completed);
      };
    }
    const complete = this.planNullable(type, nodes, coordinate);
    return (value, run, path) => {
      if (value instanceof Error) throw value;
      return value === null || value === undefined ? null : complete(value, run, path);
    };
  }

  private planNullable(type: GraphQLOutputType, nodes: readonly FieldNode[], coordinate: string): Complete {
    if (isLeafType(type)) {
      return (value) => {
        const leaf = type.serialize(value);
        if (leaf === null || leaf === undefined)
          throw new Error(`${type} serialized ${coordinate} to ${leaf}.`);
        return leaf;
      };
    }
    if (isListType(type)) return listOf(this.planType(type.ofType, nodes, coordinate), coordinate);
    if (!isObjectType(type) || type.isTypeOf) throw new NotPlannable(String(type));
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return selectConcurrently(this.planFields(type, sets));
  }
}

/** Starts to resolve all fields of an object, and waits only if one of them returns a promise. */
function selectConcurrently(fields: readonly { key: string; resolve: ResolveField }[]): ResolveField {
  return (source, run, path) => {
    const result: Record<string, unknown> = {};
    const pending: Promise<void>[] = [];
    try {
      for (const { key, resolve } of fields) {
        const value = resolve(source, run, path);
        // Assigns even an unresolved promise now, to keep the field order of the document.
        result[key] = value;
        if (isPromise(value)) pending.push(assignWhenResolved(result, key, value));
      }
    } catch (error) {
      ignoreRejections(pending);
      throw error;
    }
    return pending.length === 0 ? result : Promise.all(pending).then(() => result);
  };
}

function listOf(complete: Complete, coordinate: string): Complete {
  return (values, run, path) => {
    if (!Array.isArray(values)) throw new Error(`Expected a list for ${coordinate}.`);
    const items: unknown[] = [];
    let pending = false;
    try {
      for (const value of values) {
        const at = { prev: path, key: items.length, typename: undefined };
        const item = isPromise(value)
          ? value.then((each) => complete(each, run, at))
          : complete(value, run, at);
        pending ||= isPromise(item);
        items.push(item);
      }
    } catch (error) {
      ignoreRejections(items.filter(isPromise));
      throw error;
    }
    return pending ? Promise.all(items) : items;
  };
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Promise<unknown>>).then === "function";

async function assignWhenResolved(result: Record<string, unknown>, key: string, value: Promise<unknown>) {
  result[key] = await value;
}

/** Ignores later rejections, because an unhandled rejection would end the process. */
function ignoreRejections(promises: readonly Promise<unknown>[]): void {
  for (const promise of promises) promise.catch(() => {});
}

/** Adds the path to errors in a root field, to distinguish a failed resolver from an invalid document. */
function locateErrors(resolve: ResolveField, nodes: readonly FieldNode[], key: string): ResolveField {
  const fail = (thrown: unknown): never => {
    throw locatedError(thrown, nodes, [key]);
  };
  return (source, run, path) => {
    try {
      const value = resolve(source, run, path);
      return isPromise(value) ? value.catch(fail) : value;
    } catch (error) {
      return fail(error);
    }
  };
}

/** Rejects directives, because `@skip` and `@include` depend on the request. */
function rejectDirectives(document: DocumentNode): void {
  visit(document, {
    Directive: ({ name }) => {
      throw new NotPlannable(`@${name.value}`);
    },
  });
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}
