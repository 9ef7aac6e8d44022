import { SCOPES, type Scope } from "../../auth/permissions";
import { indexBy } from "../../common/coalesce";
import type { Timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Lookup } from "../../database/engine";
import { networksOf } from "./allowed-networks";

/** A key joined with its agent and organization. */
interface KeyRow {
  hash: string;
  id: string;
  name: string;
  hint: string;
  createdAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** Comma-separated. */
  scopes: string | null;
  rateLimitPerMinute: number | null;
  /** Comma-separated. */
  allowedNetworks: string | null;
  agentId: string;
  agentSlug: string;
  agentName: string;
  organizationId: string;
  organizationSlug: string;
  organizationName: string;
  organizationCreatedAt: Timestamp;
  deactivatedAt: Timestamp | null;
}

const BY_HASH: Lookup<KeyRow> = {
  columns: {
    hash: "key.hash",
    id: "key.id",
    name: "key.name",
    hint: "key.hint",
    createdAt: "key.created_at",
    expiresAt: "key.expires_at",
    revokedAt: "key.revoked_at",
    scopes: "key.scopes",
    rateLimitPerMinute: "key.rate_limit_per_minute",
    allowedNetworks: "key.allowed_networks",
    agentId: "agent.id",
    agentSlug: "agent.slug",
    agentName: "agent.name",
    organizationId: "organization.id",
    organizationSlug: "organization.slug",
    organizationName: "organization.name",
    organizationCreatedAt: "organization.created_at",
    deactivatedAt: "organization.deactivated_at",
  },
  from: `api_key AS key
    JOIN agent ON agent.id = key.agent_id
    JOIN organization ON organization.id = agent.organization_id`,
  by: "key.hash",
};

/**
 * Finds keys by the hash of their token, with agent and organization. Concurrent requests share a query; a key is always
 * read after it was presented, never from a cache.
 */
export const createKeyLookup = (database: Database) =>
  database.coalesceByKey("keys", async (hashes) => {
    const rows = await database.lookup(BY_HASH, hashes);
    return indexBy(rows.map(foundKey), ({ key }) => key.hash);
  });

function foundKey(row: KeyRow) {
  const { hash, id, name, hint, createdAt, expiresAt, revokedAt, organizationId } = row;
  return {
    key: {
      hash,
      id,
      name,
      hint,
      createdAt,
      expiresAt,
      revokedAt,
      organizationId,
      scopes: scopesOf(row),
      rateLimitPerMinute: row.rateLimitPerMinute,
      allowedNetworks: networksOf(row.allowedNetworks),
    },
    agent: { id: row.agentId, slug: row.agentSlug, name: row.agentName },
    organization: {
      id: organizationId,
      slug: row.organizationSlug,
      name: row.organizationName,
      createdAt: row.organizationCreatedAt,
      deactivatedAt: row.deactivatedAt,
    },
  };
}

const scopesOf = ({ scopes }: KeyRow): readonly Scope[] =>
  scopes === null ? SCOPES : (scopes.split(",") as Scope[]);
