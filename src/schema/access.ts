import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from "graphql";
import { type AuthChecker, Authorized, Extensions } from "type-graphql";
import { type AccessRule, authorize, isAllowed } from "../auth/authorize";
import type { Caller } from "../auth/caller";
import type { RequestContext } from "../auth/context";
import type { Scope } from "../auth/permissions";

/**
 * Declares who may call a field: anyone, or keys and members, each by what they need.
 * The declaration stands in the schema's extensions, and is enforced from there.
 */
export const Access =
  (allowed: AccessRule["allowed"], { whileDeactivated = false } = {}): MethodDecorator =>
  (target, property, descriptor) => {
    const access: AccessRule = { allowed, whileDeactivated };
    Authorized()(target, property, descriptor);
    Extensions({ access })(target, property, descriptor);
  };

/** What a field declared; undefined for one that forgot to. */
export const accessOf = (field: GraphQLField<unknown, unknown> | undefined) =>
  field?.extensions.access as AccessRule | undefined;

/** The scope that a key needs for a field; undefined for a field that needs none. */
export function scopeOf(field: GraphQLField<unknown, unknown>): Scope | undefined {
  const allowed = accessOf(field)?.allowed;
  return typeof allowed === "object" && typeof allowed.key === "string" ? allowed.key : undefined;
}

/** Decides on a field by its name and its definition; undefined for introspection and for fields the type lacks. */
type AllowsField = (name: string, field: GraphQLField<unknown, unknown> | undefined) => boolean;

/**
 * Whether every field that operations select at their roots, directly or through fragments, is allowed.
 * @param document of bounded depth; it may be invalid, with unknown or circular fragments
 */
function everyRootField(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operations: readonly OperationDefinitionNode[],
  allows: AllowsField,
): boolean {
  const fragments = new Map<string, SelectionSetNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each.selectionSet);
  }
  return operations.every(({ operation, selectionSet }) => {
    const fields = schema.getRootType(operation)?.getFields();
    const visited = new Set<SelectionSetNode>();
    const visit = (set: SelectionSetNode | undefined): boolean => {
      if (set === undefined || visited.has(set)) return true;
      visited.add(set);
      return set.selections.every((node) => {
        if (node.kind === Kind.INLINE_FRAGMENT) return visit(node.selectionSet);
        const name = node.name.value;
        if (node.kind === Kind.FRAGMENT_SPREAD) return visit(fragments.get(name));
        return allows(name, fields?.[name]);
      });
    };
    return visit(selectionSet);
  });
}

/**
 * Whether the operations of a document select nothing at their roots but `__typename` and fields that anyone may call.
 * @param document of bounded depth; it may be invalid
 */
export function isForAnyone(schema: GraphQLSchema, document: DocumentNode): boolean {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  return everyRootField(
    schema,
    document,
    operations,
    (name, field) => name === TypeNameMetaFieldDef.name || accessOf(field)?.allowed === "anyone",
  );
}

/** Applies the declarations to every call, before its arguments are looked at. */
export const authChecker: AuthChecker<RequestContext> = ({ context, info }) => {
  const { parentType, fieldName, schema } = info;
  authorize(
    context.caller,
    accessOf(parentType.getFields()[fieldName]),
    parentType === schema.getMutationType(),
  );
  return true;
};

/**
 * Whether a caller with a credential may call every root field that an operation selects.
 * @param document a valid one
 */
export function mayCallAll(
  caller: Caller,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  if (caller.kind === "anonymous") return false;
  const changes = operation.operation === "mutation";
  return everyRootField(
    schema,
    document,
    [operation],
    // Only `__typename` and introspection are no fields of the type.
    (_, field) => field === undefined || isAllowed(caller, accessOf(field), changes),
  );
}
