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

/**
 * Whether the operations of a document select nothing at their roots but `__typename` and fields that anyone may call.
 * The document needs to be neither valid nor free of cycles, but of bounded depth.
 */
export function isForAnyone(schema: GraphQLSchema, { definitions }: DocumentNode): boolean {
  const fragments = new Map<string, SelectionSetNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each.selectionSet);
  }
  return definitions.every((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return true;
    const fields = schema.getRootType(definition.operation)?.getFields() ?? {};
    const seen = new Set<SelectionSetNode | undefined>();
    const allows = (set: SelectionSetNode | undefined): boolean => {
      if (set === undefined || seen.has(set)) return true;
      seen.add(set);
      return set.selections.every((node) => {
        if (node.kind === Kind.INLINE_FRAGMENT) return allows(node.selectionSet);
        const name = node.name.value;
        if (node.kind === Kind.FRAGMENT_SPREAD) return allows(fragments.get(name));
        return name === TypeNameMetaFieldDef.name || accessOf(fields[name])?.allowed === "anyone";
      });
    };
    return allows(definition.selectionSet);
  });
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
 * Whether a caller with a credential may call every root field that an operation selects, wherever fragments put it.
 * @param document a valid one, which has no circles of fragments
 */
export function mayCallAll(
  caller: Caller,
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
): boolean {
  if (caller.kind === "anonymous") return false;
  const fields = schema.getRootType(operation)?.getFields() ?? {};
  const mayCall = ({ selections }: SelectionSetNode): boolean =>
    selections.every((node) => {
      if (node.kind === Kind.INLINE_FRAGMENT) return mayCall(node.selectionSet);
      if (node.kind === Kind.FRAGMENT_SPREAD) return mayCall(fragmentOf(document, node.name.value));
      const field = fields[node.name.value];
      // Only `__typename` and introspection are no fields of the type.
      return field === undefined || isAllowed(caller, accessOf(field), operation === "mutation");
    });
  return mayCall(selectionSet);
}

const EMPTY: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };

function fragmentOf({ definitions }: DocumentNode, name: string): SelectionSetNode {
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name)
      return definition.selectionSet;
  }
  return EMPTY;
}
