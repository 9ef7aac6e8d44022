import { GatewayError } from "../errors";
import type { AgentCaller, Caller, MemberCaller, Operator } from "./caller";
import type { Permission, Scope } from "./permissions";

/** Who may call a field. A kind of caller that is left out may not. */
export interface AllowedCallers {
  /** Keys with a scope, or any key that is accepted. */
  key?: Scope | true;
  /** Members with a permission, or anyone who is signed in. */
  member?: Permission | true;
}

/** Who may call a field of Query or Mutation, and when. */
export interface AccessRule {
  allowed: "anyone" | AllowedCallers;
  /** Whether members may change this even while their organization is deactivated. */
  whileDeactivated: boolean;
}

/**
 * Lets a caller pass or not.
 * @param changes whether the call changes something, which members of a deactivated organization may not
 * @throws GatewayError `unauthenticated`, `forbidden`, `insufficient_scope` or `organization_deactivated`
 */
export function authorize(caller: Caller, rule: AccessRule | undefined, changes: boolean): void {
  if (rule === undefined) throw new Error("A field of Query or Mutation declares no @Access.");
  const { allowed, whileDeactivated } = rule;
  if (allowed === "anyone") return;
  if (caller.kind === "anonymous") {
    if (caller.sessionEnded) throw new GatewayError("invalid_session");
    throw new GatewayError(
      "unauthenticated",
      `This needs an Authorization header: Bearer ${credentialFor(allowed)}.`,
    );
  }
  if (caller.kind === "agent") authorizeKey(caller, allowed);
  else authorizeMember(caller, allowed, changes && !whileDeactivated);
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

/** Whether a member holds a permission; the command line holds all. */
const holds = (caller: MemberCaller | Operator, permission: Permission): boolean =>
  caller.kind === "operator" || caller.permissions.includes(permission);

function authorizeKey({ key }: AgentCaller, { key: needed }: AllowedCallers): void {
  if (needed === undefined) throw new GatewayError("forbidden", "This is for members, not for API keys.");
  if (needed === true || key.scopes.includes(needed)) return;
  throw new GatewayError("insufficient_scope", `The API key lacks the scope ${needed}.`, {
    // RFC 6750, 3.1
    headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${needed}"` },
  });
}

function authorizeMember(
  caller: MemberCaller | Operator,
  { member: needed }: AllowedCallers,
  needsActive: boolean,
): void {
  if (needed === undefined) throw new GatewayError("forbidden", "This is for systems with an API key.");
  if (needed !== true && !holds(caller, needed)) {
    throw new GatewayError("forbidden", `This needs the permission ${needed}.`);
  }
  if (needsActive && caller.organization.deactivatedAt !== null) {
    throw new GatewayError("organization_deactivated");
  }
}

function credentialFor({ key, member }: AllowedCallers): string {
  if (member === undefined) return "<API_KEY>";
  return key === undefined ? "<session token>, from signIn" : "<API_KEY or session token>";
}
