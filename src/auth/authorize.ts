import { type Timestamp, timestamp } from "../common/time";
import { GatewayError } from "../errors";
import type { Caller, KeyCaller, MemberCaller, Operator, System } from "./caller";
import type { KeyScope, OrganizationScope, Permission, Scope } from "./permissions";

/** The kinds of callers allowed to call a field; omitted kinds are rejected. */
export interface AllowedCallers {
  /** The scope that an agent key needs; true if any active agent key is allowed. */
  key?: Scope | true;
  /** The scope that an organization key needs; true if any active organization key is allowed. */
  organizationKey?: OrganizationScope | true;
  /** The permission that a member needs; true if any signed-in member is allowed. */
  member?: Permission | true;
}

const RECENT_SIGN_IN_MS = 15 * 60_000;

/** True if a sign-in or its confirmation was at most 15 minutes ago. */
export const isRecent = (signedInAt: Timestamp): boolean => signedInAt > timestamp(-RECENT_SIGN_IN_MS);

/** The access rule of a field. */
export interface AccessRule {
  allowed: "anyone" | AllowedCallers;
  /** True if members may call a mutation while their organization is deactivated. */
  whileDeactivated: boolean;
  /** True if members need a recent sign-in, so that a stolen session cannot be used to gain access that outlasts it. */
  recentSignIn?: boolean;
}

/**
 * Enforces an access rule.
 * @param changes true if the call is a mutation, which members of a deactivated organization may not call
 * @throws GatewayError `unauthenticated`, `forbidden`, `insufficient_scope`, `organization_deactivated` or
 *   `recent_sign_in_required`
 */
export function authorize(caller: Caller, rule: AccessRule | undefined, changes: boolean): void {
  if (rule === undefined) throw new Error("A field of Query or Mutation declares no @Access.");
  const { allowed, whileDeactivated, recentSignIn } = rule;
  if (allowed === "anyone") return;
  if (caller.kind === "anonymous") {
    if (caller.sessionEnded) throw new GatewayError("invalid_session");
    throw new GatewayError(
      "unauthenticated",
      `This request requires an Authorization header: Bearer ${credentialFor(allowed)}.`,
    );
  }
  if (caller.kind === "agent") authorizeKey(caller, allowed.key, allowed);
  else if (caller.kind === "organizationKey") authorizeKey(caller, allowed.organizationKey, allowed);
  else authorizeMember(caller, allowed, changes && !whileDeactivated);
  if (recentSignIn && caller.kind === "member" && !isRecent(caller.signedInAt))
    throw new GatewayError("recent_sign_in_required");
}

/** True if a caller passes the check of `authorize`. */
export function isAllowed(caller: Caller, rule: AccessRule | undefined, changes: boolean): boolean {
  try {
    authorize(caller, rule, changes);
    return true;
  } catch {
    return false;
  }
}

/** Tells the holder of an agent key who may perform an operation. */
function alternativeTo({ organizationKey, member }: AllowedCallers): string {
  if (organizationKey === undefined) return "Sign in as a member.";
  return `Use an organization key${member === undefined ? "." : ", or sign in as a member."}`;
}

function authorizeKey(
  { kind, key }: KeyCaller,
  needed: KeyScope | true | undefined,
  allowed: AllowedCallers,
): void {
  if (needed === undefined)
    throw new GatewayError(
      "forbidden",
      kind === "agent"
        ? `Agent keys cannot perform this operation. ${alternativeTo(allowed)}`
        : "Organization keys cannot perform this operation.",
    );
  const scopes: readonly KeyScope[] = key.scopes;
  if (needed === true || scopes.includes(needed)) return;
  throw new GatewayError("insufficient_scope", `The API key lacks the scope ${needed}.`, {
    // RFC 6750, 3.1
    headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${needed}"` },
  });
}

function authorizeMember(
  caller: MemberCaller | Operator | System,
  { member: needed }: AllowedCallers,
  needsActive: boolean,
): void {
  if (needed === undefined)
    throw new GatewayError("forbidden", "Members cannot perform this operation. Use an API key.");
  // The operator and the gateway have all permissions.
  if (needed !== true && caller.kind === "member" && !caller.permissions.includes(needed)) {
    throw new GatewayError("forbidden", `This operation requires the permission ${needed}.`);
  }
  if (needsActive && caller.kind === "member" && caller.organization.deactivatedAt !== null) {
    throw new GatewayError("organization_deactivated");
  }
}

function credentialFor({ key, member }: AllowedCallers): string {
  if (member === undefined) return "<API_KEY>";
  return key === undefined ? "<session token>, from signIn" : "<API_KEY or session token>";
}
