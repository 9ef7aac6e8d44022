import { createHash } from "node:crypto";
import { GraphQLError } from "graphql";
import type { Repository } from "typeorm";
import type { ApiKey } from "./entities.js";

export interface Context {
  key: ApiKey;
}

const refusal = (status: number, code: string) =>
  new GraphQLError(code, { extensions: { code, http: { status } } });

/** Reads the key of a request from the database, with its agent and organization. */
export async function keyOf(keys: Repository<ApiKey>, authorization: string | undefined): Promise<ApiKey> {
  if (authorization === undefined) throw refusal(401, "unauthenticated");
  if (!authorization.startsWith("Bearer ")) throw refusal(401, "invalid_api_key");
  const hash = createHash("sha256").update(authorization.slice(7)).digest("hex");
  // `find` needs one query; the limit of `findOne` would turn the joins into two.
  const [key] = await keys.find({ where: { hash }, relations: { agent: { organization: true } } });
  if (key === undefined) throw refusal(401, "invalid_api_key");
  if (key.revokedAt !== null) throw refusal(403, "key_revoked");
  if (key.agent.organization.deactivatedAt !== null) throw refusal(401, "key_not_resolvable");
  if (key.expiresAt !== null && key.expiresAt <= new Date().toISOString()) throw refusal(401, "key_expired");
  return key;
}
