import { type EntityManager, IsNull, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import type { AgentCaller, Origin } from "../../auth/caller";
import { type CredentialResolver, organizationOf, type RequestContext } from "../../auth/context";
import { Permission, SCOPES } from "../../auth/permissions";
import { ENVIRONMENTS, type Environment } from "../../common/environment";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import {
  environmentOf,
  hashToken,
  isWellFormedApiKey,
  KEY_ENVIRONMENT,
  type KeyEnvironment,
} from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { GatewayError, noSuch } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { type PageArgs, paginate } from "../../pagination/connection";
import type { RefusedTokens } from "../../rate-limits/refused-tokens";
import { Agent } from "../agents/agent.entity";
import { actorOf, recordAudit } from "../audit/audit";
import type { Organization } from "../organizations/organization.entity";
import { apiKeyActions } from "./api-key.audit";
import { ApiKey, ApiKeyState, refusalOf } from "./api-key.entity";
import {
  ApiKeyConnection,
  type ApiKeysArgs,
  type MintedApiKey,
  type NewApiKey,
  type RenameApiKeyArgs,
  type RotateApiKeyArgs,
} from "./api-key.inputs";
import {
  assertActive,
  insertKey,
  NAME_TAKEN,
  ownKey,
  releaseExpiredName,
  reservedNameOf,
  updateIfActive,
} from "./key-changes";
import { createKeyLookup } from "./key-lookup";
import { narrowToText, searchTextOf } from "./key-search";
import type { KeyUsageRecorder } from "./key-usage-recorder";

const REQUIRED = { permission: Permission.config_manage };

/** Mints, resolves, renames, rotates and revokes API keys; each change applies from the next request on. */
export class ApiKeyService implements CredentialResolver<AgentCaller> {
  private readonly byHash: ReturnType<typeof createKeyLookup>;
  private readonly environment: KeyEnvironment;
  private readonly accepted: readonly Environment[];

  constructor(
    private readonly database: Database,
    private readonly usage: KeyUsageRecorder,
    { environment, keyEnvironments }: Pick<Config, "environment" | "keyEnvironments">,
    private readonly refused: RefusedTokens,
  ) {
    this.environment = KEY_ENVIRONMENT[environment];
    this.accepted = keyEnvironments;
    this.byHash = createKeyLookup(database);
  }

  /**
   * The agent that a key resolves to, read from the database and never from a cache.
   * @param options.again whether the same request was already accepted, so that it is not counted twice
   * @throws GatewayError `invalid_api_key`, `key_revoked`, `key_not_resolvable`, `key_expired` or `too_many_attempts`
   */
  async resolve(token: string, origin: Origin, { again = false } = {}): Promise<AgentCaller> {
    const hash = isWellFormedApiKey(token) ? hashToken(token) : undefined;
    // Before the lookup: a development server must not act on a production key, even if they share a database.
    if (hash !== undefined) this.assertEnvironment(environmentOf(token));
    const found = await this.refused.find(hash, origin.ip, this.byHash);
    if (found === undefined) throw new GatewayError("invalid_api_key");
    const { key, agent, organization } = found;
    const refusal = refusalOf(key, organization.deactivatedAt);
    if (refusal !== undefined) {
      this.usage.refused(key, origin);
      throw refusal;
    }
    if (!again) this.usage.accepted(key.id, origin);
    return { kind: "agent", key, agent, organization };
  }

  private assertEnvironment(environment: Environment): void {
    if (this.accepted.includes(environment)) return;
    throw new GatewayError(
      "invalid_api_key",
      `The API key is for ${environment}, and this server accepts keys for ${listOf(this.accepted)} only.`,
    );
  }

  /** Counts the active keys of environments whose keys this server refuses, by environment. */
  async countRefusedByEnvironment(): Promise<Partial<Record<Environment, number>>> {
    const refused = ENVIRONMENTS.filter((each) => !this.accepted.includes(each));
    const counts = await Promise.all(
      refused.map(async (environment) => {
        const count = await this.database.read((reader) =>
          reader
            .createQueryBuilder(ApiKey, "key")
            .where(IN_STATE[ApiKeyState.active], { now: timestamp() })
            .andWhere("key.hint LIKE :hint", { hint: `agk_${KEY_ENVIRONMENT[environment]}_%` })
            .getCount(),
        );
        return [environment, count] as const;
      }),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /**
   * One page of the organization's keys, newest first.
   * @throws GatewayError `invalid_cursor`
   */
  async list(
    context: RequestContext,
    { agentId, state, search, ...args }: ApiKeysArgs,
  ): Promise<ApiKeyConnection> {
    const page = ApiKeyConnection.pageOf(args);
    // Nothing matches, and PostgreSQL rejects a NUL.
    if ((agentId != null && !isUuid(agentId)) || search?.includes("\0"))
      return new ApiKeyConnection([], page);
    const organizationId = organizationOf(context);
    const rows = await this.database.report(organizationId, (reader) => {
      const query = reader.createQueryBuilder(ApiKey, "key").where({ organizationId });
      if (agentId != null) query.andWhere({ agentId });
      if (state != null) query.andWhere(IN_STATE[state], { now: timestamp() });
      if (search != null) narrowToText(query, search);
      return paginate(query, page, "DESC").getMany();
    });
    return new ApiKeyConnection(rows, page);
  }

  /**
   * One page of the keys of all organizations, newest first, for the command line.
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
   * A key of any organization, for the command line.
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

  /**
   * Mints a key. A repeat with the same idempotency key cannot show the first secret again, so it revokes the first key
   * and mints a replacement.
   * @param tx the transaction to join, if any
   * @throws GatewayError `not_found` (agent), `conflict` (name), `idempotency_key_reused`
   */
  create(context: RequestContext, input: NewApiKey, tx?: EntityManager): Promise<MintedApiKey> {
    const { idempotencyKey, agentId, expiresAt } = input;
    const name = input.name.trim();
    const end = expiresAt?.toISOString() ?? null;
    const scopes = input.scopes == null ? null : SCOPES.filter((scope) => input.scopes?.includes(scope));
    const organizationId = organizationOf(context);
    const unit = async (tx: EntityManager) => {
      await assertSignedIn(tx, context, REQUIRED);
      const agent = isUuid(agentId) ? await tx.findOneBy(Agent, { id: agentId, organizationId }) : null;
      if (agent === null) throw noSuch("agent");
      const create = () =>
        insertKey(tx, context, agent, { name, expiresAt: end, scopes, environment: this.environment });
      return once(tx, {
        scope: `createApiKey:${actorOf(context.caller).actorId ?? organizationId}`,
        key: idempotencyKey,
        // Omitted for all scopes, so that retries of a call to an earlier version still match.
        request: { agentId, name, expiresAt: end, ...(scopes && { scopes }) },
        create,
        repeat: async (id) => {
          await this.revoke(context, id, tx);
          return create();
        },
        idOf: ({ apiKey }) => apiKey.id,
      });
    };
    return this.database.write(unit, { tx });
  }

  /** @throws GatewayError `not_found`, or `conflict` if the name is taken or the key is not active */
  rename(context: RequestContext, { id, name }: RenameApiKeyArgs): Promise<ApiKey> {
    return this.database.write(async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const key = await ownKey(tx, context, id);
      const next = name.trim();
      if (next === key.name) return key;
      assertActive(key);
      await releaseExpiredName(tx, key.agentId, next);
      const reservedName = reservedNameOf(next);
      if (await tx.existsBy(ApiKey, { agentId: key.agentId, reservedName, id: Not(key.id) })) {
        throw new GatewayError("conflict", NAME_TAKEN);
      }
      const searchText = searchTextOf({ name: next, hint: key.hint });
      await updateIfActive(tx, key, { name: next, reservedName, searchText });
      await recordAudit(tx, context, apiKeyActions.api_key_renamed, key, { name: [key.name, next] });
      return tx.findOneByOrFail(ApiKey, { id: key.id });
    });
  }

  /**
   * Revokes a key: it is refused from the next request on. Revoking a revoked key changes nothing.
   * @param tx the transaction to join, if any
   * @throws GatewayError `not_found`
   */
  revoke(context: RequestContext, id: string, tx?: EntityManager): Promise<ApiKey> {
    const unit = async (tx: EntityManager) => {
      await assertSignedIn(tx, context, { ...REQUIRED, whileDeactivated: true });
      const key = await ownKey(tx, context, id);
      const current = { id: key.id, revokedAt: IsNull() };
      const { affected } = await tx.update(ApiKey, current, { revokedAt: timestamp(), reservedName: null });
      if (affected === 1) await recordAudit(tx, context, apiKeyActions.api_key_revoked, key);
      await this.database.waitForInserts(tx);
      return tx.findOneByOrFail(ApiKey, { id: key.id });
    };
    return this.database.write(unit, { tx });
  }

  /**
   * Replaces a key with a new one of the same agent, name, scopes and lifetime. The old key remains accepted for the
   * grace period, but not beyond its expiry; without a grace period it is revoked immediately.
   * @throws GatewayError `not_found`, or `conflict` if the key is not active or already replaced
   */
  rotate(context: RequestContext, { id, graceSeconds }: RotateApiKeyArgs): Promise<MintedApiKey> {
    return this.database.write(async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const old = await ownKey(tx, context, id);
      assertActive(old);
      const agent = await tx.findOneByOrFail(Agent, { id: old.agentId });
      const replacedById = uuid();
      const graceMs = (graceSeconds ?? 0) * 1000;
      const ends = timestamp(graceMs);
      const end: Partial<ApiKey> =
        graceMs === 0 ? { revokedAt: ends } : { expiresAt: earlier(old.expiresAt, ends) };
      await updateIfActive(tx, old, { ...end, reservedName: null, replacedById });
      if (graceMs === 0) await this.database.waitForInserts(tx);
      await recordAudit(tx, context, apiKeyActions.api_key_rotated, old, {
        revokedAt: [null, end.revokedAt ?? null],
        expiresAt: [old.expiresAt, end.expiresAt ?? old.expiresAt],
        replacedById: [null, replacedById],
      });
      return insertKey(tx, context, agent, {
        id: replacedById,
        name: old.name,
        expiresAt:
          old.expiresAt === null ? null : timestamp(Date.parse(old.expiresAt) - Date.parse(old.createdAt)),
        scopes: old.scopes,
        environment: this.environment,
      });
    });
  }
}

/** Keys joined with their agent and its organization. */
const withAgent = (reader: EntityManager) =>
  reader
    .createQueryBuilder(ApiKey, "key")
    .innerJoinAndSelect("key.agent", "agent")
    .innerJoinAndSelect("agent.organization", "organization");

const IN_STATE: Record<ApiKeyState, string> = {
  [ApiKeyState.active]: "key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > :now)",
  [ApiKeyState.revoked]: "key.revoked_at IS NOT NULL",
  [ApiKeyState.expired]: "key.revoked_at IS NULL AND key.expires_at <= :now",
};

/** `development, staging and production` */
const listOf = (environments: readonly Environment[]): string =>
  new Intl.ListFormat("en-GB").format(environments);

const earlier = (a: string | null, b: string): string => (a !== null && a < b ? a : b);
