// This file is long because each operation on keys combines the steps in key-changes.ts differently.

import { type EntityManager, IsNull, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { type KeyScope, ORGANIZATION_SCOPES, Permission, SCOPES } from "../../auth/permissions";
import { DAY_MS, timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import { KEY_ENVIRONMENT, type KeyEnvironment } from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { rowsById } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, InvalidInput } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { type PageArgs, paginate } from "../../pagination/connection";
import { listOfParent } from "../../pagination/list-of-parent";
import { listPage } from "../../pagination/list-page";
import { scopedAgentId } from "../agents/agent-scope";
import { actorOf, recordAudit } from "../audit/audit";
import type { Organization } from "../organizations/organization.entity";
import { apiKeyActions } from "./api-key.audit";
import { ApiKey, ApiKeyState } from "./api-key.entity";
import {
  ApiKeyConnection,
  type ApiKeysArgs,
  type CreateApiKeyInput,
  type CreateOrganizationKeyInput,
  type KeyInput,
  type MintedApiKey,
  type RotateApiKeyInput,
  type UpdateApiKeyInput,
} from "./api-key.inputs";
import { assertMayMint, callingKey, limitedBy } from "./delegation";
import {
  assertActive,
  assertLimited,
  changeKey,
  idsOfReplaced,
  insertKey,
  isReplaced,
  type KeySettings,
  keepReplaced,
  lifetimeOf,
  lockKeys,
  NEEDS_EXPIRY,
  ownKey,
  redirectReplaced,
  storedSettings,
  updateIfActive,
} from "./key-changes";
import { IN_STATE, narrowToExpiring, narrowToText, OF_KIND } from "./key-search";

const REQUIRED = { permission: Permission.config_manage };

/** Mints, lists, changes, rotates and revokes API keys; each change takes effect on the next request. */
export class ApiKeyService {
  /** Reads a page of an agent's keys, without an access check. */
  readonly ofAgent = listOfParent(this.database, ApiKeyConnection, {
    what: "keys of agents",
    entity: ApiKey,
    parent: "agentId",
  });

  private readonly successors = rowsById(this.database, "successors", ApiKey);
  private readonly environment: KeyEnvironment;
  private readonly maxLifetimeDays: number | undefined;
  /** Max requests per minute for a key without its own limit; 0 for no limit. */
  private readonly rateLimit: number;

  constructor(
    private readonly database: Database,
    {
      environment,
      keyMaxLifetimeDays,
      rateLimitPerMinute,
    }: Pick<Config, "environment" | "keyMaxLifetimeDays" | "rateLimitPerMinute">,
  ) {
    this.maxLifetimeDays = keyMaxLifetimeDays;
    this.rateLimit = rateLimitPerMinute;
    this.environment = KEY_ENVIRONMENT[environment];
  }

  /** Returns a page of the organization's keys, newest first, or throws `invalid_cursor`. */
  list(
    context: RequestContext,
    { agentId, kind, state, search, expiresWithinDays, replacedById, isConnection, ...args }: ApiKeysArgs,
  ): Promise<ApiKeyConnection> {
    const matching = (reader: EntityManager) => {
      // PostgreSQL rejects NUL characters.
      if ([agentId, replacedById].some((id) => id != null && !isUuid(id)) || search?.includes("\0"))
        return null;
      const query = reader
        .createQueryBuilder(ApiKey, "key")
        .where({ organizationId: organizationOf(context) });
      if (agentId != null) query.andWhere({ agentId });
      if (kind != null) query.andWhere(OF_KIND[kind]);
      if (state != null) query.andWhere(IN_STATE[state], { now: timestamp() });
      if (replacedById != null) query.andWhere({ replacedById });
      if (isConnection != null) query.andWhere({ clientId: isConnection ? Not(IsNull()) : IsNull() });
      if (expiresWithinDays != null) narrowToExpiring(query, expiresWithinDays);
      if (search != null) narrowToText(query, search);
      return query;
    };
    const list = { matching, order: "DESC", mayReadMany: true } as const;
    return listPage(this.database, context, ApiKeyConnection, args, list);
  }

  /** Like `list`, but for all organizations; used by the command line. */
  async listAll({
    kind,
    state,
    ...args
  }: Pick<Partial<ApiKeysArgs>, "kind" | "state"> & PageArgs): Promise<ApiKeyConnection> {
    const page = ApiKeyConnection.pageOf(args);
    const rows = await this.database.read((reader) => {
      const query = withAgent(reader);
      if (kind != null) query.andWhere(OF_KIND[kind]);
      if (state != null) query.andWhere(IN_STATE[state], { now: timestamp() });
      return paginate(query, page, "DESC").getMany();
    });
    return new ApiKeyConnection(rows, page);
  }

  /** Finds a key in any organization for the command line, or throws `not_found`. */
  async byIdOrHint(which: string): Promise<{ key: ApiKey; organization: Organization }> {
    const key = await this.database.read((reader) =>
      withAgent(reader).where("key.id = :which OR key.hint = :which", { which }).getOne(),
    );
    if (key?.organization === undefined)
      throw new GatewayError("not_found", `There is no API key "${which}".`);
    return { key, organization: key.organization };
  }

  /** @returns the key, or null if it does not exist in the caller's organization */
  async find(context: RequestContext, id: string): Promise<ApiKey | null> {
    if (!isUuid(id)) return null;
    return this.database.read((reader) =>
      reader.findOneBy(ApiKey, { id, organizationId: organizationOf(context) }),
    );
  }

  /** True if an active key was replaced by another key that is still in use, so it can no longer be changed. */
  async isReplaced(key: ApiKey): Promise<boolean> {
    return key.state === ApiKeyState.active && isReplaced(key, this.successors);
  }

  /**
   * Mints an agent's key. A retry with the same idempotency key cannot show the first secret again, so it
   * revokes the first key and mints a replacement.
   * @param tx the transaction to join; by default, a new one
   * @throws GatewayError `not_found` (agent), `conflict` (name), `idempotency_key_reused`, `invalid_request`
   *   for an expiry later than the server allows, or `forbidden` if the new key would have more access than
   *   the calling organization key
   */
  create(context: RequestContext, input: CreateApiKeyInput, tx?: Tx): Promise<MintedApiKey> {
    const { agentId, scopes: given } = input;
    const scopes = given == null ? null : SCOPES.filter((scope) => given.includes(scope));
    return this.mint(context, "createApiKey", input, { agentId, scopes }, tx);
  }

  /** Like `create`, but for an organization key; throws `invalid_request` for one that `assertLimited` rejects. */
  createForOrganization(context: RequestContext, input: CreateOrganizationKeyInput): Promise<MintedApiKey> {
    const scopes = ORGANIZATION_SCOPES.filter((scope) => input.scopes.includes(scope));
    return this.mint(context, "createOrganizationKey", input, { agentId: null, scopes });
  }

  private mint(
    context: RequestContext,
    operation: string,
    input: KeyInput,
    { agentId, scopes }: { agentId: string | null; scopes: readonly KeyScope[] | null },
    tx?: Tx,
  ): Promise<MintedApiKey> {
    const { idempotencyKey, expiresAt } = input;
    const name = input.name.trim();
    const end = expiresAt?.toISOString() ?? null;
    const settings = storedSettings(input);
    const organizationId = organizationOf(context);
    const unit = async (tx: Tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      if (agentId !== null) await scopedAgentId(tx, context, agentId);
      const create = async () => {
        const minter = await callingKey(tx, context);
        const key = limitedBy(minter, { ...settings, expiresAt: this.withinLifetime(end, minter) });
        const scoped = { ...key, agentId, scopes: scopes && [...scopes] };
        assertMayMint(minter, scoped, this.rateLimit, "mint");
        if (agentId === null) assertLimited({ ...key, createdAt: timestamp() }, NEEDS_EXPIRY);
        return insertKey(tx, context, {
          organizationId,
          agentId,
          name,
          expiresAt: key.expiresAt,
          scopes,
          settings: storedSettings(key),
          environment: this.environment,
        });
      };
      return once(tx, {
        scope: `${operation}:${actorOf(context.caller).actorId ?? organizationId}`,
        answer: context.answer,
        key: idempotencyKey,
        // Omits nulls, so that retries match requests recorded by earlier versions.
        request: { agentId, name, expiresAt: end, ...(scopes && { scopes }), ...withoutNulls(settings) },
        create,
        repeat: async (id) => {
          await this.end(tx, context, id);
          const minted = await create();
          await tx.waitForInserts();
          return minted;
        },
        idOf: ({ apiKey }) => apiKey.id,
      });
    };
    return this.database.writeFor(ownerOf(context.caller), unit, { tx });
  }

  /** Returns the requested expiry or, by default, the latest allowed one; throws `invalid_request` for a later one. */
  private withinLifetime(expiresAt: string | null, minter: ApiKey | null): string | null {
    if (this.maxLifetimeDays === undefined) return expiresAt;
    const latest = timestamp(this.maxLifetimeDays * DAY_MS);
    if (expiresAt === null) return earlier(minter?.expiresAt ?? null, latest);
    if (expiresAt <= latest) return expiresAt;
    const message = `must be at most ${this.maxLifetimeDays} days from now, the maximum key lifetime on this server`;
    throw new InvalidInput([{ path: "input.expiresAt", message }]);
  }

  /** Changes a key's name and settings, effective on the next request; throws like `changeKey`. */
  update(context: RequestContext, input: UpdateApiKeyInput): Promise<ApiKey> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await lockKeys(tx, context, [input.id], REQUIRED);
      return changeKey(tx, context, input, this.rateLimit);
    });
  }

  /**
   * Revokes a key, effective on the next request. Revoking a revoked key has no effect.
   * @param tx the transaction to join; by default, a new one
   * @param options.keepReplaced true to undo a rotation: restores the replaced key's expiry
   * @throws GatewayError `not_found`, `conflict` if there is no replaced key that is still accepted or a later
   *   key is still active, or `forbidden` if an organization key tries to undo the rotation of an organization key
   */
  revoke(context: RequestContext, id: string, tx?: Tx, { keepReplaced = false } = {}): Promise<ApiKey> {
    const unit = async (tx: Tx) => {
      const ended = await this.end(tx, context, id, keepReplaced);
      await tx.waitForInserts();
      return ended;
    };
    return this.database.writeFor(ownerOf(context.caller), unit, { tx });
  }

  /** Revokes a key; the caller must then call `waitForInserts` in the same transaction. */
  private async end(tx: Tx, context: RequestContext, id: string, keeps = false): Promise<ApiKey> {
    const replaced = keeps ? await idsOfReplaced(tx, context, id) : [];
    await lockKeys(tx, context, [id, ...replaced], { ...REQUIRED, whileDeactivated: !keeps });
    const key = await ownKey(tx, context, id);
    if (keeps && key.agentId === null && context.caller.kind === "organizationKey")
      throw new GatewayError("forbidden", "Only members can undo the rotation of an organization key.");
    const current = { id: key.id, revokedAt: IsNull() };
    const { affected } = await tx.update(ApiKey, current, { revokedAt: timestamp(), reservedName: null });
    if (affected === 1) await recordAudit(tx, context, apiKeyActions.api_key_revoked, key);
    if (keeps) await keepReplaced(tx, context, key, affected !== 1);
    return tx.findOneByOrFail(ApiKey, { id: key.id });
  }

  /**
   * Replaces a key with a new one that has the same agent, name, scopes, settings and lifetime, limited by the server's
   * maximum lifetime and a calling key's expiry. The old key remains accepted for the grace period, but not beyond its
   * expiry; without a grace period it is revoked immediately. A retry with the same idempotency key cannot show the
   * first secret again, so it replaces the new key.
   * @throws GatewayError `not_found`, `idempotency_key_reused`, `conflict` if the key is not active or already
   *   replaced, or `forbidden` if an organization key could not have minted the key
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
      await lockKeys(tx, context, [id], REQUIRED);
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

  /** Replaces a key whose secret was lost; links the old key to the newest, so that the rotation can be undone. */
  private async replaceLost(tx: Tx, context: RequestContext, lost: string): Promise<MintedApiKey> {
    const minted = await this.replace(tx, context, lost, 0, true);
    await redirectReplaced(tx, context, lost, minted.apiKey);
    return minted;
  }

  private async replace(
    tx: Tx,
    context: RequestContext,
    id: string,
    graceMs: number,
    isLost = false,
  ): Promise<MintedApiKey> {
    const old = await ownKey(tx, context, id);
    if (old.clientId !== null)
      throw new GatewayError("conflict", "The key of a connected application cannot be rotated.");
    await assertActive(tx, old);
    const expiresAt = await this.successorExpiry(tx, context, old, isLost);
    const replacedById = uuid();
    const ends = timestamp(graceMs);
    const end: Partial<ApiKey> =
      graceMs === 0 ? { revokedAt: ends } : { expiresAt: earlier(old.expiresAt, ends) };
    await updateIfActive(tx, old, { ...end, reservedName: null, replacedById });
    await recordAudit(tx, context, apiKeyActions.api_key_rotated, old, {
      revokedAt: [null, end.revokedAt ?? null],
      expiresAt: [old.expiresAt, end.expiresAt ?? old.expiresAt],
      replacedById: [old.replacedById, replacedById],
    });
    const minted = await insertKey(tx, context, {
      id: replacedById,
      organizationId: old.organizationId,
      agentId: old.agentId,
      name: old.name,
      expiresAt,
      scopes: old.scopes,
      settings: storedSettings(old),
      environment: this.environment,
    });
    if (graceMs === 0) await tx.waitForInserts();
    return minted;
  }

  /** @throws GatewayError `forbidden` if an organization key could not have minted the old key */
  private async successorExpiry(
    tx: Tx,
    context: RequestContext,
    old: ApiKey,
    isLost: boolean,
  ): Promise<string | null> {
    const ends = [lifetimeOf(old), this.maxLifetimeDays && this.maxLifetimeDays * DAY_MS]
      .filter((each) => each != null)
      .map((ms) => timestamp(ms));
    const caller = await callingKey(tx, context);
    // A key that retries its own rotation expires soon, so the lost successor's expiry limits the new key instead.
    const isOwnSuccessor = isLost && caller?.replacedById === old.id;
    const minter = caller && isOwnSuccessor ? { ...caller, expiresAt: old.expiresAt } : caller;
    assertMayMint(minter, old, this.rateLimit, "rotate");
    if (minter?.expiresAt) ends.push(minter.expiresAt);
    return ends.sort()[0] ?? null;
  }
}

const withoutNulls = (settings: KeySettings) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));

/** Returns a query for keys joined with their organizations and agents, including deleted agents. */
const withAgent = (reader: EntityManager) =>
  reader
    .createQueryBuilder(ApiKey, "key")
    .withDeleted()
    .leftJoinAndSelect("key.agent", "agent")
    .innerJoinAndSelect("key.organization", "organization");

const earlier = (a: string | null, b: string): string => (a !== null && a < b ? a : b);
