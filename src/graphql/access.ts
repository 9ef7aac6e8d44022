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
import type { Caller, RequestContext } from "../context";
import { GatewayError } from "../errors";
import { Permission } from "../members/member.entity";

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

/** Whether `authorize` lets a caller pass. */
export function isAllowed(caller: Caller, rule: AccessRule | undefined, changes: boolean): boolean {
  try {
    authorize(caller, rule, changes);
    return true;
  } catch {
    return false;
  }
}
