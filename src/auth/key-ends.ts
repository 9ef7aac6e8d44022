import { type Timestamp, timestamp } from "../common/time";
import { GatewayError } from "../errors";

/** The columns that determine whether a key is still valid. */
export interface KeyEnds {
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
}

/** Returns a key's current state, ignoring whether its organization is deactivated. */
export function keyStateOf({ revokedAt, expiresAt }: KeyEnds): "active" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= timestamp() ? "expired" : "active";
}

/** Returns the error if a key must be rejected. A permanent reason takes precedence over a temporary one. */
export function keyRejection(
  key: KeyEnds,
  organizationDeactivatedAt: Timestamp | null,
): GatewayError | undefined {
  const state = keyStateOf(key);
  if (state === "revoked") return new GatewayError("key_revoked");
  if (organizationDeactivatedAt !== null) return new GatewayError("key_not_resolvable");
  if (state === "expired") return new GatewayError("key_expired");
  return undefined;
}
