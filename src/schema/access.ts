import {
  type DocumentNode,
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from "graphql";
import { Extensions } from "type-graphql";
import { type AccessRule, type AllowedCallers, authorize, isAllowed } from "../auth/authorize";
import type { Caller } from "../auth/caller";
import type { RequestContext } from "../auth/context";

/**
 * Declares who may select a field: anyone, or API keys with a scope and members with a permission. Root fields must
 * declare a rule; other fields without a rule may be selected by every caller that can read their object.
 * `enforceAccess` reads the rule from the schema's extensions.
 */
export const Access =
  (
    allowed: AccessRule["allowed"],
    { whileDeactivated = false, recentSignIn = false } = {},
  ): MethodDecorator =>
  (target, property, descriptor) => {
    const access: AccessRule = { allowed, whileDeactivated, recentSignIn };
    Extensions({ access })(target, property, descriptor);
  };

/** Returns the access rule of a field; undefined if it declares none. */
export const accessOf = (field: GraphQLField<unknown, unknown> | undefined) =>
  field?.extensions.access as AccessRule | undefined;

/**
 * Enforces the access rule of each field before its resolver validates arguments. TypeGraphQL's `@Authorized` is not
 * used, because it creates several promises per call.
 * @throws Error that names the root fields without a rule, because they would be open to all callers
 */
export function enforceAccess(schema: GraphQLSchema): void {
  assertAccessDeclared(schema);
  const roots = Object.values(OperationTypeNode).map((operation) => schema.getRootType(operation));
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !roots.includes(type)) enforceBelow(type);
  for (const operation of Object.values(OperationTypeNode)) {
    const changes = operation === OperationTypeNode.MUTATION;
    for (const field of Object.values(schema.getRootType(operation)?.getFields() ?? {})) {
      const { resolve = defaultFieldResolver } = field;
      const rule = accessOf(field);
      field.resolve = (source, args, context: RequestContext, info) => {
        authorize(context.caller, rule, changes);
        const attempt = changes ? context.answer?.attempt : undefined;
        if (attempt === undefined) return resolve(source, args, context, info);
        // If the plan has failed, Apollo calls the resolver again to create the errors.
        attempt.change ??= resolve(source, args, context, info);
        return attempt.change;
      };
    }
  }
}

/** Enforces the access rules of an object type's fields. These fields are nullable and only read data. */
function enforceBelow(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const rule = accessOf(field);
    if (rule === undefined) continue;
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, args, context: RequestContext, info) => {
      if (context.omitsForbidden && !isAllowed(context.caller, rule, false)) return null;
      authorize(context.caller, rule, false);
      return resolve(source, args, context, info);
    };
  }
}

function assertAccessDeclared(schema: GraphQLSchema): void {
  const open = Object.values(OperationTypeNode)
    .flatMap((operation) => schema.getRootType(operation) ?? [])
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => accessOf(field) === undefined)
        .map((field) => `${type.name}.${field.name}`),
    );
  if (open.length > 0) {
    throw new Error(`These fields have no @Access declaration: ${open.join(", ")}.`);
  }
}

/** The kinds of API keys, as named in access rules. */
export type KeyKind = keyof Pick<AllowedCallers, "key" | "organizationKey">;

/**
 * Returns a field's access rule for REST, where only API keys are accepted; undefined if the field declares none.
 * @param kinds the kinds of keys that may call the route
 * @throws Error if a key of one of these kinds may not call the field
 */
export function keyAccessOf(
  field: GraphQLField<unknown, unknown>,
  kinds: readonly KeyKind[],
): AccessRule | undefined {
  const access = accessOf(field);
  if (access === undefined || access.allowed === "anyone") return access;
  const { allowed } = access;
  const missing = kinds.find((kind) => allowed[kind] === undefined);
  if (missing !== undefined) throw new Error(`${field.name} has no access rule for ${missing}`);
  return { ...access, allowed: Object.fromEntries(kinds.map((kind) => [kind, allowed[kind]])) };
}

/** True if one of these kinds of keys needs a scope to call a field. */
export function needsScope(field: GraphQLField<unknown, unknown>, kinds: readonly KeyKind[]): boolean {
  const allowed = accessOf(field)?.allowed;
  return typeof allowed === "object" && kinds.some((kind) => typeof allowed[kind] === "string");
}

/**
 * True if a condition holds for all root fields, in fragments as well. The document is of bounded depth and may be
 * invalid.
 */
export function everyRootField(
  { definitions }: DocumentNode,
  operations: readonly OperationDefinitionNode[],
  holds: (name: string, type: OperationTypeNode) => boolean,
): boolean {
  const fragments = new Map<string, SelectionSetNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each.selectionSet);
  }
  return operations.every(({ operation, selectionSet }) => {
    const visited = new Set<SelectionSetNode>();
    const visit = (set: SelectionSetNode | undefined): boolean => {
      if (set === undefined || visited.has(set)) return true;
      visited.add(set);
      return set.selections.every((node) => {
        if (node.kind === Kind.INLINE_FRAGMENT) return visit(node.selectionSet);
        const name = node.name.value;
        if (node.kind === Kind.FRAGMENT_SPREAD) return visit(fragments.get(name));
        return holds(name, operation);
      });
    };
    return visit(selectionSet);
  });
}

/** Returns a root field; undefined for introspection and unknown fields. */
const rootField = (schema: GraphQLSchema, name: string, type: OperationTypeNode) =>
  schema.getRootType(type)?.getFields()[name];

/** True if anyone may call the root fields of a document, which is of bounded depth and may be invalid. */
export function isForAnyone(schema: GraphQLSchema, document: DocumentNode): boolean {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  return everyRootField(
    document,
    operations,
    (name, type) =>
      name === TypeNameMetaFieldDef.name || accessOf(rootField(schema, name, type))?.allowed === "anyone",
  );
}

/** True if an authenticated caller may call every root field of an operation in a valid document. */
export function mayCallAll(
  caller: Caller,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  if (caller.kind === "anonymous") return false;
  const changes = operation.operation === "mutation";
  return everyRootField(document, [operation], (name, type) => {
    const field = rootField(schema, name, type);
    // In a valid document, only `__typename` and introspection have no definition.
    return field === undefined || isAllowed(caller, accessOf(field), changes);
  });
}
