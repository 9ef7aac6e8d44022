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
import { GatewayError } from "../errors";
import { Permission } from "../features/members/member.entity";
import type { Caller, RequestContext } from "./context";

/** Everybody; a system with an API key; a signed-in member; a member who holds `config:manage`. */
export type AllowedCaller = "anyone" | "agentKey" | "member" | "manager";

/** Who may call a field of Query or Mutation. */
export interface AccessRule {
  allowed: AllowedCaller;
  /** Whether members may change this even while their organization is deactivated. */
  whileDeactivated: boolean;
}

/** Declares who may call a field. The declaration stands in the schema's extensions, and is enforced from there. */
export const Access =
  (allowed: AllowedCaller, { whileDeactivated = false } = {}): MethodDecorator =>
  (target, property, descriptor) => {
    const access: AccessRule = { allowed, whileDeactivated };
    Authorized()(target, property, descriptor);
    Extensions({ access })(target, property, descriptor);
  };

/** What a field declared; undefined for one that forgot to. */
export const accessOf = (field: GraphQLField<unknown, unknown> | undefined) =>
  field?.extensions.access as AccessRule | undefined;

/**
 * Lets a caller pass or not.
 * @param changes whether the call changes something, which members of a deactivated organization may not
 * @throws GatewayError `unauthenticated`, `forbidden` or `organization_deactivated`
 */
export function authorize(caller: Caller, rule: AccessRule | undefined, changes: boolean): void {
  if (rule === undefined) throw new Error("A field of Query or Mutation declares no @Access.");
  const { allowed, whileDeactivated } = rule;
  if (allowed === "anyone") return;
  if (caller.kind === "anonymous") {
    if (caller.sessionEnded) throw new GatewayError("invalid_session");
    const what = allowed === "agentKey" ? "<API_KEY>" : "<session token>, from signIn";
    throw new GatewayError("unauthenticated", `This needs an Authorization header: Bearer ${what}.`);
  }
  if (allowed === "agentKey") {
    if (caller.kind === "agent") return;
    throw new GatewayError("forbidden", "This is for systems with an API key.");
  }
  if (caller.kind === "agent") throw new GatewayError("forbidden", "This is for members, not for API keys.");
  const holder = caller.kind === "operator" || caller.permissions.includes(Permission.config_manage);
  if (allowed === "manager" && !holder) {
    throw new GatewayError("forbidden", "This needs the permission config:manage.");
  }
  if (changes && !whileDeactivated && caller.organization.deactivatedAt !== null) {
    throw new GatewayError("organization_deactivated");
  }
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

/** Whether `authorize` lets a caller pass. */
export function isAllowed(caller: Caller, rule: AccessRule | undefined, changes: boolean): boolean {
  try {
    authorize(caller, rule, changes);
    return true;
  } catch {
    return false;
  }
}

const EMPTY: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };

function fragmentOf({ definitions }: DocumentNode, name: string): SelectionSetNode {
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name)
      return definition.selectionSet;
  }
  return EMPTY;
}
