import { type EntityManager, IsNull, LessThanOrEqual } from "typeorm";
import { v7 as uuid } from "uuid";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Scope } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { sha256 } from "../../credentials/sha256";
import { hashToken, type KeyEnvironment, mintApiKey } from "../../credentials/token-format";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { GatewayError } from "../../errors";
import type { Agent } from "../agents/agent.entity";
import { actorOf, recordAudit } from "../audit/audit";
import { apiKeyActions } from "./api-key.audit";
import { ApiKey, ApiKeyState } from "./api-key.entity";
import type { MintedApiKey } from "./api-key.inputs";
import { searchTextOf } from "./key-search";

// What the operations on keys are made of, each inside the transaction of its operation.

/** Why a name is refused. */
export const NAME_TAKEN = "Another active key of this agent has this name.";

/** Longest `reservedName`, in code points. */
const HELD_NAME_MAX = 100;

/** A name as names are compared: forms that differ only in Unicode's compatibility encodings are one name (NFKC). */
export function heldNameOf(name: string): string {
  const normalized = name.normalize("NFKC");
  // Some characters stand for up to 18 others.
  return [...normalized].length > HELD_NAME_MAX ? sha256(normalized) : normalized;
}

/** What a key to mint is made of. */
export interface KeyToMint {
  id?: string;
  name: string;
  expiresAt: string | null;
  /** Null for all. */
  scopes: readonly Scope[] | null;
  environment: KeyEnvironment;
}

/** Mints a key for an agent. @throws GatewayError `conflict` when another active key of the agent has the name */
export async function mintKey(
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
    reservedName: heldNameOf(name),
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

/** Revokes a key, unless it is already. @throws GatewayError `not_found` */
export async function revokeKey(tx: EntityManager, context: RequestContext, id: string): Promise<ApiKey> {
  const key = await ownKey(tx, context, id);
  const revokedAt = timestamp();
  const { affected } = await tx.update(
    ApiKey,
    { id: key.id, revokedAt: IsNull() },
    { revokedAt, reservedName: null },
  );
  if (affected === 1) await recordAudit(tx, context, apiKeyActions.api_key_revoked, key);
  return tx.findOneByOrFail(ApiKey, { id: key.id });
}

/** A key of the caller's organization. @throws GatewayError `not_found` */
export async function ownKey(tx: EntityManager, context: RequestContext, id: string): Promise<ApiKey> {
  const organizationId = organizationOf(context);
  const key = isUuid(id) ? await tx.findOneBy(ApiKey, { id, organizationId }) : null;
  if (key === null) throw new GatewayError("not_found", "The organization has no such API key.");
  return key;
}

/** @throws GatewayError `conflict` unless the key is active and no other has replaced it */
export function assertActive(key: ApiKey): void {
  if (key.state !== ApiKeyState.active) throw new GatewayError("conflict", `The key is ${key.state}.`);
  if (key.replacedById !== null) throw new GatewayError("conflict", "The key has already been replaced.");
}

/** Changes a key that is still neither revoked nor replaced: a concurrent transaction may have been first. */
export async function updateIfActive(
  tx: EntityManager,
  { id }: ApiKey,
  change: Partial<ApiKey>,
): Promise<void> {
  const current = { id, revokedAt: IsNull(), replacedById: IsNull() };
  const { affected } = await tx.update(ApiKey, current, change);
  if (affected !== 1) throw new GatewayError("conflict", "The key was changed meanwhile.");
}

/** An expired key gives its name up, but only when another asks for it: expiry writes nothing. */
export async function releaseExpiredName(tx: EntityManager, agentId: string, name: string): Promise<void> {
  await tx.update(
    ApiKey,
    { agentId, reservedName: heldNameOf(name), expiresAt: LessThanOrEqual(timestamp()) },
    { reservedName: null },
  );
}
