import { createHash } from "node:crypto";
import { Refusal } from "./refusal.mjs";

const BEARER = /^bearer +([^\s,]+)$/i;

/**
 * Who calls, read from the database on every request.
 * @param authorization the header's value
 * @returns the agent, its organization and the key, as `whoami` shows them
 * @throws Refusal 401 or 403
 */
export async function identify(store, authorization) {
  if (authorization == null) throw new Refusal(401, "unauthenticated");
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw new Refusal(401, "invalid_api_key");
  return identityOf(await store.identity(createHash("sha256").update(token).digest("hex")));
}

/** @param row what `store.identity` found */
export function identityOf(row) {
  if (row === undefined) throw new Refusal(401, "invalid_api_key");
  if (row.revokedAt !== null) throw new Refusal(403, "key_revoked");
  if (row.deactivatedAt !== null) throw new Refusal(401, "key_not_resolvable");
  if (row.expiresAt !== null && row.expiresAt <= new Date().toISOString())
    throw new Refusal(401, "key_expired");
  return {
    agent: { id: row.agentId, slug: row.agentSlug, name: row.agentName },
    organization: { id: row.organizationId, slug: row.organizationSlug, name: row.organizationName },
    key: { id: row.keyId, name: row.keyName, hint: row.keyHint, createdAt: row.keyCreatedAt },
  };
}
