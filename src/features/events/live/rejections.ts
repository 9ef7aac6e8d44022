import { type AccessRule, authorize } from "../../../auth/authorize";
import type { Caller } from "../../../auth/caller";
import { keyRejection } from "../../../auth/key-ends";
import { Permission, SCOPES, type Scope } from "../../../auth/permissions";
import { timestamp } from "../../../common/time";
import { GatewayError, noSuch } from "../../../errors";
import { addressRejection, networksOf } from "../../api-keys/allowed-networks";
import type { LiveSnapshot } from "./live-snapshot";

/** The scope or permission needed to read an agent's events. */
export const MAY_READ_EVENTS = { key: "events:read", member: Permission.conversations_read } as const;

/** Deactivating an organization ends its streams, although its members can still read events. */
const MAY_FOLLOW: AccessRule = { allowed: MAY_READ_EVENTS, whileDeactivated: false };

/**
 * Checks that a caller may follow events.
 * @throws GatewayError `unauthenticated`, `forbidden`, `insufficient_scope` or `organization_deactivated`
 */
export const assertMayFollow = (caller: Caller): void => authorize(caller, MAY_FOLLOW, true);

/** Returns the ID of a follower's key or session. */
export function credentialOf(caller: Caller): { kind: "key" | "session" | "none"; id: string } {
  if (caller.kind === "agent") return { kind: "key", id: caller.key.id };
  if (caller.kind === "member") return { kind: "session", id: caller.sessionId };
  return { kind: "none", id: caller.kind };
}

/** Returns the error for a caller (at an IP address) who may no longer follow an agent; undefined if allowed. */
export function rejectionIn(
  snapshot: LiveSnapshot,
  caller: Caller,
  ip: string | null,
  agentId: string,
): GatewayError | undefined {
  try {
    assertMayFollow(currentCaller(snapshot, caller, ip));
    if (snapshot.deletedAgents.has(agentId)) throw noSuch("agent");
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

/** Returns the caller with its credential's current state, from a snapshot. */
function currentCaller({ keys, sessions }: LiveSnapshot, caller: Caller, ip: string | null): Caller {
  if (caller.kind === "agent") {
    const state = keys.get(caller.key.id);
    if (state === undefined) throw new GatewayError("invalid_api_key");
    const networks = networksOf(state.allowedNetworks);
    const rejection = keyRejection(state, state.deactivatedAt) ?? addressRejection(networks, ip);
    if (rejection !== undefined) throw rejection;
    const scopes = state.scopes === null ? SCOPES : (state.scopes.split(",") as Scope[]);
    return { ...caller, key: { ...caller.key, scopes } };
  }
  if (caller.kind === "member") {
    const state = sessions.get(caller.sessionId);
    if (state === undefined || state.expiresAt <= timestamp()) throw new GatewayError("invalid_session");
    const { deactivatedAt } = state;
    const permissions = state.permissions.split(",") as Permission[];
    return { ...caller, permissions, organization: { ...caller.organization, deactivatedAt } };
  }
  return caller;
}
