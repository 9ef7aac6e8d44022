import { hash } from "node:crypto";
import { GraphQLError } from "graphql";

/** The error for a rejected request, with its HTTP status; GraphQL servers read the status from the extensions. */
export class Refusal extends GraphQLError {
  constructor(status, code, message) {
    super(message, { extensions: { code, http: { status } } });
    this.statusCode = status;
    this.body = { code, message, status };
  }
}

/**
 * Returns the caller identified by a request's Authorization header, with one query per request.
 * @throws Refusal
 */
export async function callerOf(store, authorization) {
  if (authorization === undefined) throw new Refusal(401, "unauthenticated", "There is no key.");
  const row = authorization.startsWith("Bearer ")
    ? await store.keyByHash(hash("sha256", authorization.slice(7)))
    : undefined;
  if (row === undefined) throw new Refusal(401, "invalid_api_key", "There is no such key.");
  if (row.revokedAt !== null) throw new Refusal(403, "key_revoked", "The key was revoked.");
  if (row.deactivatedAt !== null)
    throw new Refusal(401, "key_not_resolvable", "The organization is deactivated.");
  if (row.expiresAt !== null && row.expiresAt <= new Date().toISOString())
    throw new Refusal(401, "key_expired", "The key is past its end.");
  return {
    agent: { id: row.agentId, slug: row.agentSlug, name: row.agentName },
    organization: { id: row.organizationId, slug: row.organizationSlug, name: row.organizationName },
    key: { id: row.id, name: row.name, hint: row.hint, createdAt: row.createdAt },
  };
}
