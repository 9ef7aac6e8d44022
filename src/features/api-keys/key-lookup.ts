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
  /** The key's scopes, separated by commas. */
  scopes: string | null,
  rateLimitPerMinute: number | null,
  /** The networks that may use the key, separated by commas. */
  allowedNetworks: string | null,
  /** The agent's ID; null for an organization key. */
  agentId: string | null,
  agentSlug: string | null,
  agentName: string | null,
  organizationId: string,
  organizationSlug: string,
  organizationName: string,
  organizationCreatedAt: Timestamp,
  deactivatedAt: Timestamp | null,
];

/** The columns and tables used to look up a key's credential: its secret or an access token. */
interface Credential {
  hash: string;
  expiresAt: string;
  scopes: string;
  /** SQL of the FROM clause; ends with the table `key`. */
  from: string;
}

/** Finds a credential by its hash, with its key, the key's organization and, for an agent's key, the agent. */
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

/** Finds keys by their hash, with agents and organizations. Concurrent requests share a query; nothing is cached. */
export const createKeyLookup = (database: Database) =>
  database.lookups("keys", BY_SECRET, ({ key }) => key.hash);

/** Finds keys by an access token's hash, the way `createKeyLookup` finds them by a key's hash. */
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
