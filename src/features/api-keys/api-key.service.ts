import { type EntityManager, IsNull } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission, SCOPES } from "../../auth/permissions";
import { DAY_MS, timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import { KEY_ENVIRONMENT, type KeyEnvironment } from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { rowsById } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { type PageArgs, paginate } from "../../pagination/connection";
import { type ListOfParent, listOfParent } from "../../pagination/list-of-parent";
import { listPage } from "../../pagination/list-page";
import { Agent } from "../agents/agent.entity";
import { actorOf, recordAudit } from "../audit/audit";
import type { Organization } from "../organizations/organization.entity";
import { apiKeyActions } from "./api-key.audit";
import { ApiKey, ApiKeyState } from "./api-key.entity";
import {
  ApiKeyConnection,
  type ApiKeysArgs,
  type CreateApiKeyInput,
  type MintedApiKey,
  type RotateApiKeyInput,
  type UpdateApiKeyInput,
} from "./api-key.inputs";
import {
  assertActive,
  changeKey,
  endedSuccessor,
  hasEnded,
  insertKey,
  type KeySettings,
  keepReplaced,
  lifetimeOf,
  ownKey,
  redirectReplaced,
  storedSettings,
  updateIfActive,
} from "./key-changes";
import { IN_STATE, narrowToText } from "./key-search";

const REQUIRED = { permission: Permission.config_manage };

/** Mints, lists, changes, rotates and revokes API keys; each change takes effect on the next request. */
export class ApiKeyService {
  /** A page of an agent's keys, without an access check. */
  readonly ofAgent: ListOfParent<ApiKeyConnection>;

  private readonly successors: (id: string) => Promise<ApiKey | undefined>;
  private readonly environment: KeyEnvironment;

  constructor(
    private readonly database: Database,
    { environment }: Pick<Config, "environment">,
  ) {
    this.environment = KEY_ENVIRONMENT[environment];
    this.ofAgent = listOfParent(database, ApiKeyConnection, {
      what: "keys of agents",
      entity: ApiKey,
      parent: "agentId",
    });
    this.successors = rowsById(database, "successors", ApiKey);
  }

  /**
   * One page of the organization's keys, newest first.
   * @throws GatewayError `invalid_cursor`
   */
  list(
    context: RequestContext,
    { agentId, state, search, expiresWithinDays, replacedById, ...args }: ApiKeysArgs,
  ): Promise<ApiKeyConnection> {
    const matching = (reader: EntityManager) => {
      // PostgreSQL rejects NUL characters.
      if ([agentId, replacedById].some((id) => id != null && !isUuid(id)) || search?.includes("\0"))
        return null;
      const query = reader
        .createQueryBuilder(ApiKey, "key")
        .where({ organizationId: organizationOf(context) });
      if (agentId != null) query.andWhere({ agentId });
      if (state != null) query.andWhere(IN_STATE[state], { now: timestamp() });
      if (replacedById != null) query.andWhere({ replacedById });
      if (expiresWithinDays != null)
        query
          .andWhere(IN_STATE[ApiKeyState.active], { now: timestamp() })
          .andWhere("key.replaced_by_id IS NULL AND key.expires_at <= :until", {
            until: timestamp(expiresWithinDays * DAY_MS),
          });
      if (search != null) narrowToText(query, search);
      return query;
    };
    const list = { matching, order: "DESC", mayReadMany: true } as const;
    return listPage(this.database, context, ApiKeyConnection, args, list);
  }

  /**
   * Returns one page of the keys in all organizations, newest first. Used by the command line.
   * @throws GatewayError `invalid_cursor`
   */
  async listAll({
    agent,
    org,
    state,
    ...args
  }: { agent?: string; org?: string; state?: ApiKeyState } & PageArgs): Promise<ApiKeyConnection> {
    const page = ApiKeyConnection.pageOf(args);
    const rows = await this.database.read((reader) => {
      const query = withAgent(reader);
      if (agent !== undefined) query.andWhere("agent.slug = :agent", { agent });
      if (org !== undefined) query.andWhere("organization.slug = :org", { org });
      if (state !== undefined) query.andWhere(IN_STATE[state], { now: timestamp() });
      return paginate(query, page, "DESC").getMany();
    });
    return new ApiKeyConnection(rows, page);
  }

  /**
   * Finds a key in any organization. Used by the command line.
   * @throws GatewayError `not_found`
   */
  async byIdOrHint(which: string): Promise<{ key: ApiKey; organization: Organization }> {
    const key = await this.database.read((reader) =>
      withAgent(reader).where("key.id = :which OR key.hint = :which", { which }).getOne(),
    );
    if (key?.agent?.organization === undefined)
      throw new GatewayError("not_found", `There is no API key "${which}".`);
    return { key, organization: key.agent.organization };
  }

  /** @returns the key, or null if it does not exist in the organization */
  async find(context: RequestContext, id: string): Promise<ApiKey | null> {
    if (!isUuid(id)) return null;
    return this.database.read((reader) =>
      reader.findOneBy(ApiKey, { id, organizationId: organizationOf(context) }),
    );
  }

  /** True if a key was replaced by an active one and so can no longer be changed. */
  async isReplaced({ replacedById }: Pick<ApiKey, "replacedById">): Promise<boolean> {
    if (replacedById === null) return false;
    const successor = await this.successors(replacedById);
    return successor !== undefined && !hasEnded(successor);
  }

  /**
   * Mints a key. A retry with the same idempotency key cannot show the first secret again, so it revokes the first key
   * and mints a replacement.
   * @param tx the transaction to join, if any
   * @throws GatewayError `not_found` (agent), `conflict` (name), `idempotency_key_reused`
   */
  create(context: RequestContext, input: CreateApiKeyInput, tx?: Tx): Promise<MintedApiKey> {
    const { idempotencyKey, agentId, expiresAt } = input;
    const name = input.name.trim();
    const end = expiresAt?.toISOString() ?? null;
    const scopes = input.scopes == null ? null : SCOPES.filter((scope) => input.scopes?.includes(scope));
    const settings = storedSettings(input);
    const organizationId = organizationOf(context);
    const unit = async (tx: Tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const hasAgent = isUuid(agentId) && (await tx.existsBy(Agent, { id: agentId, organizationId }));
      if (!hasAgent) throw noSuch("agent");
      const create = () =>
        insertKey(tx, context, {
          organizationId,
          agentId,
          name,
          expiresAt: end,
          scopes,
          settings,
          environment: this.environment,
        });
      return once(tx, {
        scope: `createApiKey:${actorOf(context.caller).actorId ?? organizationId}`,
        answer: context.answer,
        key: idempotencyKey,
        // Omits nulls, so that retries of a call to an earlier version still match.
        request: { agentId, name, expiresAt: end, ...(scopes && { scopes }), ...withoutNulls(settings) },
        create,
        repeat: async (id) => {
          await this.revoke(context, id, tx);
          return create();
        },
        idOf: ({ apiKey }) => apiKey.id,
      });
    };
    return this.database.writeFor(ownerOf(context.caller), unit, { tx });
  }

  /**
   * Changes the name and settings of a key, effective on the next request.
   * @throws GatewayError `not_found`, or `conflict` if the name is taken or the key is not active
   */
  update(context: RequestContext, input: UpdateApiKeyInput): Promise<ApiKey> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      return changeKey(tx, context, input);
    });
  }

  /**
   * Revokes a key, effective on the next request. Revoking a revoked key has no effect.
   * @param tx the transaction to join, if any
   * @param options.keepReplaced true to keep the replaced key if it is still accepted
   * @throws GatewayError `not_found`, or `conflict` if there is no key to keep
   */
  revoke(
    context: RequestContext,
    id: string,
    tx?: Tx,
    { keepReplaced: keeps = false } = {},
  ): Promise<ApiKey> {
    const unit = async (tx: Tx) => {
      await assertSignedIn(tx, context, { ...REQUIRED, whileDeactivated: !keeps });
      const key = await ownKey(tx, context, id);
      const current = { id: key.id, revokedAt: IsNull() };
      const { affected } = await tx.update(ApiKey, current, { revokedAt: timestamp(), reservedName: null });
      if (affected === 1) await recordAudit(tx, context, apiKeyActions.api_key_revoked, key);
      if (keeps && !(await keepReplaced(tx, context, key)) && affected === 1)
        throw new GatewayError("conflict", "The key that this key replaced is no longer accepted.");
      await tx.waitForInserts();
      return tx.findOneByOrFail(ApiKey, { id: key.id });
    };
    return this.database.writeFor(ownerOf(context.caller), unit, { tx });
  }

  /**
   * Replaces a key with a new one that has the same agent, name, scopes, settings and lifetime. The old key remains
   * accepted for the grace period, but not beyond its expiry; without a grace period it is revoked immediately. A retry
   * with the same idempotency key cannot show the first secret again, so it replaces the new key.
   * @throws GatewayError `not_found`, `idempotency_key_reused`, or `conflict` if the key is not active or already replaced
   */
  rotate(
    context: RequestContext,
    {
      id,
      graceSeconds,
      idempotencyKey,
    }: Pick<RotateApiKeyInput, "id" | "graceSeconds"> & Partial<RotateApiKeyInput>,
  ): Promise<MintedApiKey> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      return once(tx, {
        scope: `rotateApiKey:${actorOf(context.caller).actorId ?? organizationOf(context)}`,
        answer: context.answer,
        key: idempotencyKey,
        request: { id, graceSeconds },
        create: () => this.replace(tx, context, id, graceSeconds * 1000),
        repeat: (lost) => this.replaceLost(tx, context, lost),
        idOf: ({ apiKey }) => apiKey.id,
      });
    });
  }

  /**
   * Replaces a new key whose secret was lost, and links the old key to the newest one, so that the rotation can be
   * undone.
   */
  private async replaceLost(tx: Tx, context: RequestContext, lost: string): Promise<MintedApiKey> {
    const minted = await this.replace(tx, context, lost, 0);
    await redirectReplaced(tx, context, lost, minted.apiKey);
    return minted;
  }

  private async replace(tx: Tx, context: RequestContext, id: string, graceMs: number): Promise<MintedApiKey> {
    const old = await ownKey(tx, context, id);
    await assertActive(tx, old);
    // The grace period shortens the old key's lifetime, not the new key's.
    const lifetimeMs = lifetimeOf((await endedSuccessor(tx, old)) ?? old);
    const replacedById = uuid();
    const ends = timestamp(graceMs);
    const end: Partial<ApiKey> =
      graceMs === 0 ? { revokedAt: ends } : { expiresAt: earlier(old.expiresAt, ends) };
    await updateIfActive(tx, old, { ...end, reservedName: null, replacedById });
    if (graceMs === 0) await tx.waitForInserts();
    await recordAudit(tx, context, apiKeyActions.api_key_rotated, old, {
      revokedAt: [null, end.revokedAt ?? null],
      expiresAt: [old.expiresAt, end.expiresAt ?? old.expiresAt],
      replacedById: [old.replacedById, replacedById],
    });
    return insertKey(tx, context, {
      id: replacedById,
      organizationId: old.organizationId,
      agentId: old.agentId,
      name: old.name,
      expiresAt: lifetimeMs === null ? null : timestamp(lifetimeMs),
      scopes: old.scopes,
      settings: storedSettings(old),
      environment: this.environment,
    });
  }
}

const withoutNulls = (settings: KeySettings) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));

/** Keys joined with their agent, even a deleted one, and its organization. */
const withAgent = (reader: EntityManager) =>
  reader
    .createQueryBuilder(ApiKey, "key")
    .withDeleted()
    .innerJoinAndSelect("key.agent", "agent")
    .innerJoinAndSelect("agent.organization", "organization");

const earlier = (a: string | null, b: string): string => (a !== null && a < b ? a : b);
