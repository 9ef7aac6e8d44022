// The steps of operations on keys, which run in the operations' transactions. They are in one file because they protect
// the same states: reserved names, and active or replaced keys.

import { In, IsNull, LessThanOrEqual, MoreThan, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { KeyScope } from "../../auth/permissions";
import { DAY_MS, timestamp, timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { sha256 } from "../../credentials/sha256";
import { hashToken, type KeyEnvironment, mintApiKey } from "../../credentials/token-format";
import { API_KEY, ORGANIZATION_KEY } from "../../credentials/token-parts";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { lockRows } from "../../database/lock-rows";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, type InputProblem, InvalidInput, noSuch } from "../../errors";
import { keepAgent } from "../agents/agent-scope";
import { actorOf, recordAudit } from "../audit/audit";
import { type Changes, changesOf } from "../audit/audit-change";
import { storedNetworks } from "./allowed-networks";
import { apiKeyActions } from "./api-key.audit";
import { ApiKey, ApiKeyState } from "./api-key.entity";
import type { MintedApiKey, UpdateApiKeyInput } from "./api-key.inputs";
import { ORGANIZATION_KEY_MAX_DAYS } from "./api-key.limits";
import { assertNotWider, callingKey } from "./delegation";
import { searchTextOf } from "./key-search";

/** An agent or, if `agentId` is null, an organization. The names of an owner's active keys are unique. */
type KeyOwner = Pick<ApiKey, "organizationId" | "agentId">;

const keysOf = ({ organizationId, agentId }: KeyOwner) =>
  agentId === null ? { organizationId, agentId: IsNull() } : { agentId };

const nameTaken = ({ agentId }: KeyOwner): string =>
  `Another active key of ${agentId === null ? "the organization" : "this agent"} has this name.`;

const NEEDS_NETWORKS = {
  path: "input.allowedNetworks",
  message: `must contain a network, because the organization key does not expire within ${ORGANIZATION_KEY_MAX_DAYS} days`,
};

/** The problem reported for a new organization key without networks that expires too late or never. */
export const NEEDS_EXPIRY = {
  path: "input.expiresAt",
  message: `must be at most ${ORGANIZATION_KEY_MAX_DAYS} days from now for an organization key without allowed networks`,
};

/** Max length of a reserved name (code points). */
const RESERVED_NAME_MAX_LENGTH = 100;

/** Returns a name as NFKC without joiners and variation selectors, so that names that look identical are equal. */
function reservedNameOf(name: string): string {
  const normalized = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // NFKC can expand a character into 18 characters.
  return [...normalized].length > RESERVED_NAME_MAX_LENGTH ? sha256(normalized) : normalized;
}

interface KeyToMint extends KeyOwner {
  id?: string;
  name: string;
  expiresAt: string | null;
  /** The key's scopes; null grants every scope that an agent's key can have. */
  scopes: readonly KeyScope[] | null;
  settings: KeySettings;
  environment: KeyEnvironment;
  /** The connected application that will use the key through access tokens; the key's name is not reserved. */
  application?: { clientId: string; memberId: string };
}

/** A key's settings, other than its name, that managers may change. */
export type KeySettings = Pick<ApiKey, "description" | "rateLimitPerMinute" | "allowedNetworks">;

/** Converts the settings in an input to their stored form. */
export const storedSettings = (input: Omit<UpdateApiKeyInput, "id" | "name">): KeySettings => ({
  description: input.description?.trim() ?? null,
  rateLimitPerMinute: input.rateLimitPerMinute ?? null,
  allowedNetworks: storedNetworks(input.allowedNetworks),
});

/** Returns the settings before and after a change, in the audit log's format. */
const settingsAudit = (before: KeySettings | undefined, after: KeySettings): Changes => ({
  description: [before?.description ?? null, after.description],
  rateLimitPerMinute: [asText(before?.rateLimitPerMinute), asText(after.rateLimitPerMinute)],
  allowedNetworks: [before?.allowedNetworks ?? null, after.allowedNetworks],
});

const asText = (number: number | null | undefined): string | null => (number == null ? null : String(number));

/** @throws GatewayError `conflict` if another active key has the name, or `not_found` for a deleted agent */
export async function insertKey(
  tx: Tx,
  context: RequestContext,
  {
    id = uuid(),
    organizationId,
    agentId,
    name,
    expiresAt,
    scopes,
    settings,
    environment,
    application,
  }: KeyToMint,
): Promise<MintedApiKey> {
  const { secret, hint } = mintApiKey(environment, agentId === null ? ORGANIZATION_KEY : API_KEY);
  const apiKey = tx.create(ApiKey, {
    id,
    organizationId,
    agentId,
    name,
    reservedName: application === undefined ? reservedNameOf(name) : null,
    searchText: searchTextOf({ name, hint }),
    hint,
    hash: hashToken(secret),
    createdAt: timestamp(),
    createdBy: actorOf(context.caller).actorName,
    expiresAt,
    originalExpiresAt: expiresAt,
    scopes: scopes && [...scopes],
    ...settings,
    revokedAt: null,
    leakedAt: null,
    replacedById: null,
    lastUsedAt: null,
    lastUsedIp: null,
    clientId: application?.clientId ?? null,
    memberId: application?.memberId ?? null,
  });
  if (application === undefined) await releaseExpiredName(tx, apiKey, name);
  await insertUnlessTaken(tx, ApiKey, apiKey, nameTaken(apiKey));
  // The agent is locked last, because transactions that act on behalf of a key lock the key before its agent.
  if (agentId !== null) await keepAgent(tx, agentId);
  await recordAudit(tx, context, apiKeyActions.api_key_created, apiKey, {
    expiresAt: [null, expiresAt],
    ...(agentId === null && { scopes: [null, apiKey.scopes] }),
    clientId: [null, apiKey.clientId],
    ...settingsAudit(undefined, settings),
  });
  return { apiKey, secret };
}

/** Returns a key in the caller's organization, or throws `not_found`. */
export async function ownKey(tx: Tx, context: RequestContext, id: string): Promise<ApiKey> {
  const organizationId = organizationOf(context);
  const key = isUuid(id) ? await tx.findOneBy(ApiKey, { id, organizationId }) : null;
  if (key === null) throw noSuch("API key");
  return key;
}

/**
 * The transaction must have disconnected the agent's applications and locked the agent against new keys.
 * @throws GatewayError `conflict` with the number of active keys
 */
export async function assertNoActiveKeys(tx: Tx, agentId: string): Promise<void> {
  const active = { agentId, revokedAt: IsNull() };
  const count = await tx.count(ApiKey, {
    where: [
      { ...active, expiresAt: IsNull() },
      { ...active, expiresAt: MoreThan(timestamp()) },
    ],
  });
  if (count === 1) throw new GatewayError("conflict", "The agent has an active key. Revoke it first.");
  if (count > 1) throw new GatewayError("conflict", `The agent has ${count} active keys. Revoke them first.`);
}

/** Max number of successors to look at, because each one costs a query. */
const MAX_ENDED_SUCCESSORS = 10;

/** True if a key was replaced, and any of its successors is accepted or there are too many of them to check. */
export async function isReplaced(
  { replacedById }: Pick<ApiKey, "replacedById">,
  find: (id: string) => Promise<ApiKey | null | undefined>,
): Promise<boolean> {
  let id = replacedById;
  for (let ended = 0; id !== null; ended++) {
    if (ended === MAX_ENDED_SUCCESSORS) return true;
    const successor = await find(id);
    if (successor?.state === ApiKeyState.active) return true;
    id = successor?.replacedById ?? null;
  }
  return false;
}

const isReplacedIn = (tx: Tx, key: ApiKey) => isReplaced(key, (id) => tx.findOneBy(ApiKey, { id }));

/** @throws GatewayError `conflict` if the key is not active, or was replaced by a key that is still in use */
export async function assertActive(tx: Tx, key: ApiKey): Promise<void> {
  if (key.state !== ApiKeyState.active) throw new GatewayError("conflict", `The key is ${key.state}.`);
  if (await isReplacedIn(tx, key)) throw new GatewayError("conflict", "The key has already been replaced.");
}

/** Updates a key, or throws `conflict` if a concurrent transaction has revoked or replaced it. */
export async function updateIfActive(
  tx: Tx,
  { id, replacedById }: ApiKey,
  change: Partial<ApiKey>,
): Promise<void> {
  const current = { id, revokedAt: IsNull(), replacedById: replacedById ?? IsNull() };
  const { affected } = await tx.update(ApiKey, current, change);
  if (affected !== 1) throw new GatewayError("conflict", "The key was changed by another request.");
}

/** Returns a key's original lifetime (ms); null if it never expires. */
export const lifetimeOf = ({ createdAt, originalExpiresAt }: ApiKey): number | null =>
  originalExpiresAt === null ? null : Date.parse(originalExpiresAt) - Date.parse(createdAt);

/**
 * Rechecks the caller like `assertSignedIn`, and locks the keys that the caller changes. A calling key is locked
 * together with them, in ID order, so that keys that change each other concurrently do not deadlock.
 */
export async function lockKeys(
  tx: Tx,
  context: RequestContext,
  keyIds: readonly string[],
  rule: Parameters<typeof assertSignedIn>[2],
): Promise<void> {
  const { caller } = context;
  const isKey = caller.kind === "organizationKey";
  // Locks the member before the keys, in the same order as the removal of a member.
  if (!isKey) await assertSignedIn(tx, context, rule);
  const ids = [...keyIds.filter(isUuid), ...(isKey ? [caller.key.id] : [])];
  const own = { id: In(ids), organizationId: organizationOf(context) };
  await lockRows(tx, tx.createQueryBuilder(ApiKey, "key").select("key.id").where(own));
  if (isKey) await assertSignedIn(tx, context, rule);
}

/** Returns the IDs of the keys in the caller's organization that a key has replaced. */
export async function idsOfReplaced(
  tx: Tx,
  context: RequestContext,
  replacedById: string,
): Promise<string[]> {
  const organizationId = organizationOf(context);
  if (!isUuid(replacedById)) return [];
  const keys = await tx.find(ApiKey, { select: ["id"], where: { organizationId, replacedById } });
  return keys.map(({ id }) => id);
}

/** Returns the key that a key has replaced, unless the replaced key is revoked. */
const replacedBy = (tx: Tx, { id: replacedById, ...owner }: KeyOwner & Pick<ApiKey, "id">) =>
  tx.findOneBy(ApiKey, { ...keysOf(owner), replacedById, revokedAt: IsNull() });

/** Finds the key that a lost key had replaced, and makes another key its successor. */
export async function redirectReplaced(
  tx: Tx,
  context: RequestContext,
  lost: string,
  { id: replacedById, organizationId, agentId }: ApiKey,
): Promise<void> {
  const old = await replacedBy(tx, { id: lost, organizationId, agentId });
  if (old === null) return;
  await updateIfActive(tx, old, { replacedById });
  await recordAudit(tx, context, apiKeyActions.api_key_updated, old, { replacedById: [lost, replacedById] });
}

/**
 * Undoes a rotation after its new key was revoked: restores the old key's expiry, and its name unless the
 * name was reused. Does nothing if `isRepeat` is true and there is nothing left to undo.
 * @throws GatewayError `conflict` if no old key is still accepted, or if a later successor is in use
 */
export async function keepReplaced(
  tx: Tx,
  context: RequestContext,
  successor: ApiKey,
  isRepeat: boolean,
): Promise<void> {
  const { id: replacedById } = successor;
  const old = await replacedBy(tx, successor);
  if (old === null && isRepeat) return;
  if (old?.state !== ApiKeyState.active)
    throw new GatewayError("conflict", "The key that this key replaced is no longer accepted.");
  if (await isReplacedIn(tx, old))
    throw new GatewayError("conflict", "A later key that replaced this key is still active.");
  const expiresAt = old.originalExpiresAt;
  await releaseExpiredName(tx, old, old.name);
  const reservedName = reservedNameOf(old.name);
  const isTaken = await tx.existsBy(ApiKey, { ...keysOf(old), reservedName });
  const change = { replacedById: null, expiresAt, ...(!isTaken && { reservedName }) };
  await updateIfActive(tx, old, change);
  await recordAudit(tx, context, apiKeyActions.api_key_updated, old, {
    expiresAt: [old.expiresAt, expiresAt],
    replacedById: [replacedById, null],
  });
}

/** Throws `problem` unless an organization key has networks or expires within `ORGANIZATION_KEY_MAX_DAYS`. */
export function assertLimited(
  { createdAt, expiresAt, allowedNetworks }: Pick<ApiKey, "createdAt" | "expiresAt" | "allowedNetworks">,
  problem: InputProblem,
): void {
  const latest = timestampOf(Date.parse(createdAt) + ORGANIZATION_KEY_MAX_DAYS * DAY_MS);
  if (allowedNetworks !== null || (expiresAt !== null && expiresAt <= latest)) return;
  throw new InvalidInput([problem]);
}

/**
 * Changes the name and settings of a key in the caller's organization, and records the differences. The transaction
 * must have locked the key.
 * @param serverLimit max requests per minute for a key without its own limit; 0 for no limit
 * @throws GatewayError `not_found`, `conflict` if the name is taken or the key is not active, `forbidden` if an
 *   organization key tries to widen the limits, or `invalid_request` if nothing would limit an organization key
 */
export async function changeKey(
  tx: Tx,
  context: RequestContext,
  { id, ...given }: UpdateApiKeyInput,
  serverLimit: number,
): Promise<ApiKey> {
  const key = await ownKey(tx, context, id);
  const name = given.name?.trim() ?? key.name;
  const { description = key.description, rateLimitPerMinute = key.rateLimitPerMinute } = given;
  const { allowedNetworks = key.allowedNetworks } = given;
  const settings = storedSettings({ description, rateLimitPerMinute, allowedNetworks });
  const changes = { name: [key.name, name] as const, ...settingsAudit(key, settings) };
  const fields = changesOf(changes).map(({ field }) => field);
  if (fields.length === 0) return key;
  await assertActive(tx, key);
  if ((await callingKey(tx, context)) !== null)
    assertNotWider(key, { ...key, ...settings }, serverLimit, "An organization key cannot give a key");
  if (key.agentId === null) assertLimited({ ...key, ...settings }, NEEDS_NETWORKS);
  const rename = name === key.name ? {} : await reserveName(tx, key, name);
  await updateIfActive(tx, key, { ...settings, ...rename });
  const action = fields.join() === "name" ? apiKeyActions.api_key_renamed : apiKeyActions.api_key_updated;
  await recordAudit(tx, context, action, key, changes);
  return tx.findOneByOrFail(ApiKey, { id });
}

/** @throws GatewayError `conflict` */
async function reserveName(tx: Tx, key: ApiKey, name: string): Promise<Partial<ApiKey>> {
  await releaseExpiredName(tx, key, name);
  const reservedName = reservedNameOf(name);
  if (await tx.existsBy(ApiKey, { ...keysOf(key), reservedName, id: Not(key.id) })) {
    throw new GatewayError("conflict", nameTaken(key));
  }
  return { name, reservedName, searchText: searchTextOf({ name, hint: key.hint }) };
}

/** Releases an expired key's name when another key needs it, because nothing is written when a key expires. */
async function releaseExpiredName(tx: Tx, owner: KeyOwner, name: string): Promise<void> {
  await tx.update(
    ApiKey,
    { ...keysOf(owner), reservedName: reservedNameOf(name), expiresAt: LessThanOrEqual(timestamp()) },
    { reservedName: null },
  );
}
