import type { KeyCaller } from "../../auth/caller";
import type { KeyEnds } from "../../auth/key-ends";
import { type OrganizationScope, SCOPES, type Scope } from "../../auth/permissions";
import type { Timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Lookup } from "../../database/engine";
import { networksOf } from "./allowed-networks";

/** The caller that a key resolves to, and the data that determines whether the key is accepted. */
export type FoundKey = KeyCaller & { key: KeyEnds & { hash: string; organizationId: string } };

type KeyValues = [
  hash: string,
  id: string,
  name: string,
  hint: string,
  createdAt: Timestamp,
  expiresAt: Timestamp | null,
  revokedAt: Timestamp | null,
  /** Comma-separated. */
  scopes: string | null,
  rateLimitPerMinute: number | null,
  /** Comma-separated. */
  allowedNetworks: string | null,
  /** Null for an organization key. */
  agentId: string | null,
  agentSlug: string | null,
  agentName: string | null,
  organizationId: string,
  organizationSlug: string,
  organizationName: string,
  organizationCreatedAt: Timestamp,
  deactivatedAt: Timestamp | null,
];

/** The columns and tables used to look up a credential of a key: its secret or an access token. */
interface Credential {
  hash: string;
  expiresAt: string;
  scopes: string;
  /** Ends with the table `key`. */
  from: string;
}

/** Describes how to find a credential by its hash, together with its key, organization and agent, if any. */
const findBy = ({ hash, expiresAt, scopes, from }: Credential) =>
  ({
    columns: [
      hash,
      "key.id",
      "key.name",
      "key.hint",
      "key.created_at",
      expiresAt,
      "key.revoked_at",
      scopes,
      "key.rate_limit_per_minute",
      "key.allowed_networks",
      "agent.id",
      "agent.slug",
      "agent.name",
      "organization.id",
      "organization.slug",
      "organization.name",
      "organization.created_at",
      "organization.deactivated_at",
    ],
    row: foundKey,
    from: `${from}
      LEFT JOIN agent ON agent.id = key.agent_id
      JOIN organization ON organization.id = key.organization_id`,
    by: hash,
  }) satisfies Lookup<FoundKey>;

const BY_SECRET = findBy({
  hash: "key.hash",
  expiresAt: "key.expires_at",
  scopes: "key.scopes",
  from: "api_key AS key",
});

const BY_ACCESS_TOKEN = findBy({
  hash: "token.hash",
  expiresAt: "token.expires_at",
  scopes: "token.scopes",
  from: "oauth_record AS token JOIN api_key AS key ON key.id = token.key_id",
});

/**
 * Finds keys by the hash of their token, with their agent and organization. Concurrent requests share a query; each key
 * is read after its request arrives, never from a cache.
 */
export const createKeyLookup = (database: Database) =>
  database.lookups("keys", BY_SECRET, ({ key }) => key.hash);

/** Finds keys by the hash of an access token, like `createKeyLookup`. */
export const createAccessTokenLookup = (database: Database) =>
  database.lookups("access tokens", BY_ACCESS_TOKEN, ({ key }) => key.hash);

function foundKey([
  hash,
  id,
  name,
  hint,
  createdAt,
  expiresAt,
  revokedAt,
  scopes,
  rateLimitPerMinute,
  allowedNetworks,
  agentId,
  agentSlug,
  agentName,
  organizationId,
  organizationSlug,
  organizationName,
  organizationCreatedAt,
  deactivatedAt,
]: KeyValues): FoundKey {
  const key = {
    hash,
    id,
    name,
    hint,
    createdAt,
    expiresAt,
    revokedAt,
    organizationId,
    rateLimitPerMinute,
    allowedNetworks: networksOf(allowedNetworks),
  };
  const organization = {
    id: organizationId,
    slug: organizationSlug,
    name: organizationName,
    createdAt: organizationCreatedAt,
    deactivatedAt,
  };
  const given = scopes?.split(",");
  if (agentId === null || agentSlug === null || agentName === null) {
    const own = (given ?? []) as OrganizationScope[];
    return { kind: "organizationKey", key: { ...key, scopes: own }, organization };
  }
  const agent = { id: agentId, slug: agentSlug, name: agentName };
  const own = (given as Scope[] | undefined) ?? SCOPES;
  return { kind: "agent", key: { ...key, scopes: own }, agent, organization };
}
