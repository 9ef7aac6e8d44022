import { type EntityManager, IsNull, LessThanOrEqual } from "typeorm";
import { v7 as uuid } from "uuid";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Scope } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { sha256 } from "../../credentials/sha256";
import { hashToken, type KeyEnvironment, mintApiKey } from "../../credentials/token-format";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { GatewayError, noSuch } from "../../errors";
import type { Agent } from "../agents/agent.entity";
import { actorOf, recordAudit } from "../audit/audit";
import { apiKeyActions } from "./api-key.audit";
import { ApiKey, ApiKeyState } from "./api-key.entity";
import type { MintedApiKey } from "./api-key.inputs";
import { searchTextOf } from "./key-search";

// Steps of the operations on keys; each runs in the transaction of its operation.

export const NAME_TAKEN = "Another active key of this agent has this name.";

/** In code points. */
const RESERVED_NAME_MAX_LENGTH = 100;

/** The normal form (NFKC) by which names are compared, so that compatible Unicode encodings are one name. */
export function reservedNameOf(name: string): string {
  const normalized = name.normalize("NFKC");
  // NFKC expands some characters up to 18-fold.
  return [...normalized].length > RESERVED_NAME_MAX_LENGTH ? sha256(normalized) : normalized;
}

/** Properties of a key to mint. */
interface KeyToMint {
  id?: string;
  name: string;
  expiresAt: string | null;
  /** Null for all scopes. */
  scopes: readonly Scope[] | null;
  environment: KeyEnvironment;
}

/**
 * Mints a key for an agent and inserts it.
 * @throws GatewayError `conflict` if another active key of the agent has the name
 */
export async function insertKey(
  tx: EntityManager,
  context: RequestContext,
  agent: Pick<Agent, "id" | "organizationId">,
  { id = uuid(), name, expiresAt, scopes, environment }: KeyToMint,
): Promise<MintedApiKey> {
  const { secret, hint } = mintApiKey(environment);
  const apiKey = tx.create(ApiKey, {
    id,
    organizationId: agent.organizationId,
    agentId: agent.id,
    name,
    reservedName: reservedNameOf(name),
    searchText: searchTextOf({ name, hint }),
    hint,
    hash: hashToken(secret),
    createdAt: timestamp(),
    createdBy: actorOf(context.caller).actorName,
    expiresAt,
    scopes: scopes && [...scopes],
    revokedAt: null,
    replacedById: null,
    lastUsedAt: null,
    lastUsedIp: null,
  });
  await releaseExpiredName(tx, agent.id, name);
  await insertUnlessTaken(tx, ApiKey, apiKey, NAME_TAKEN);
  await recordAudit(tx, context, apiKeyActions.api_key_created, apiKey, { expiresAt: [null, expiresAt] });
  return { apiKey, secret };
}

/**
 * A key of the caller's organization.
 * @throws GatewayError `not_found`
 */
export async function ownKey(tx: EntityManager, context: RequestContext, id: string): Promise<ApiKey> {
  const organizationId = organizationOf(context);
  const key = isUuid(id) ? await tx.findOneBy(ApiKey, { id, organizationId }) : null;
  if (key === null) throw noSuch("API key");
  return key;
}

/** @throws GatewayError `conflict` if the key is not active or already replaced */
export function assertActive(key: ApiKey): void {
  if (key.state !== ApiKeyState.active) throw new GatewayError("conflict", `The key is ${key.state}.`);
  if (key.replacedById !== null) throw new GatewayError("conflict", "The key has already been replaced.");
}

/**
 * Updates a key unless a concurrent transaction has revoked or replaced it.
 * @throws GatewayError `conflict`
 */
export async function updateIfActive(
  tx: EntityManager,
  { id }: ApiKey,
  change: Partial<ApiKey>,
): Promise<void> {
  const current = { id, revokedAt: IsNull(), replacedById: IsNull() };
  const { affected } = await tx.update(ApiKey, current, change);
  if (affected !== 1) throw new GatewayError("conflict", "The key was changed by another request.");
}

/** Releases the name of an expired key when another key needs it, because expiry itself writes nothing. */
export async function releaseExpiredName(tx: EntityManager, agentId: string, name: string): Promise<void> {
  await tx.update(
    ApiKey,
    { agentId, reservedName: reservedNameOf(name), expiresAt: LessThanOrEqual(timestamp()) },
    { reservedName: null },
  );
}
