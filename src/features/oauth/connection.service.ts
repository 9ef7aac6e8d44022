// One class, because requesting, consenting and connecting read and use up the same records.

import type { Payload } from "oidc-provider";
import { IsNull } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { memberCaller, organizationOf, type RequestContext, systemFor } from "../../auth/context";
import { Permission, type Scope } from "../../auth/permissions";
import { baseUrlOf } from "../../base-url";
import { DAY_MS, timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import { randomBase62 } from "../../credentials/base62";
import { KEY_ENVIRONMENT } from "../../credentials/token-format";
import type { Database } from "../../database/database";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { scopedAgentId } from "../agents/agent-scope";
import { apiKeyActions } from "../api-keys/api-key.audit";
import { ApiKey } from "../api-keys/api-key.entity";
import { insertKey } from "../api-keys/key-changes";
import { recordAudit } from "../audit/audit";
import { displayName, hostOf } from "./client-metadata";
import type {
  ConnectApplicationInput,
  ConnectApplicationResult,
  ConnectionRequest,
} from "./connection.inputs";
import { CONNECTION_MAX_DAYS } from "./connection.limits";
import { OAuthRecord, recordHash } from "./oauth-record.entity";
import { INTERACTION_PATH, resourcesOf, scopesOf } from "./resources";

const REQUIRED = { permission: Permission.config_manage };

/** Max time for the browser to open a consent's URL (ms). */
const CONSENT_MS = 5 * 60_000;

/** How long a registration is kept after its application is connected (ms). */
const REGISTRATION_KEPT_MS = 400 * DAY_MS;

interface Connected {
  memberId: string;
  keyId: string;
}

/** A consent whose URL the browser has not opened yet. */
interface Consent {
  requestId: string;
  context: Pick<RequestContext, "caller" | "origin">;
  agentId: string;
  clientId: string;
  name: string;
  scopes: Scope[];
  expiresAt: string;
}

/** The fields of a stored authorization request that are used here. */
interface StoredRequest {
  exp: number;
  prompt: { details: { clientName?: string } };
  params: { client_id: string; redirect_uri: string; scope: string };
}

/** Connects applications to agents. Each connection is one of an agent's API keys, without a usable secret. */
export class ConnectionService {
  private readonly maxDays: number;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.maxDays = Math.min(CONNECTION_MAX_DAYS, config.keyMaxLifetimeDays ?? CONNECTION_MAX_DAYS);
  }

  /** Returns an application's pending request; null if it does not exist, has expired or was answered. */
  async requestOf(id: string): Promise<ConnectionRequest | null> {
    const record = await this.database.read((reader) => reader.findOneBy(OAuthRecord, pendingRequest(id)));
    if (record === null || record.expiresAt <= timestamp()) return null;
    const { params, prompt }: StoredRequest = JSON.parse(record.payload);
    return {
      id,
      clientId: params.client_id,
      name: displayName(params.client_id, prompt.details.clientName),
      host: hostOf(params.client_id),
      redirectUri: params.redirect_uri,
      scopes: scopesOf(params.scope),
      maxDays: this.maxDays,
      expiresAt: record.expiresAt,
      rejectUrl: this.finishUrl(id),
    };
  }

  /**
   * Consents to an application's request; each request can be answered only once. Nothing is connected until the
   * browser that started the request presents the URL's secret, so that attackers cannot obtain consent to a request
   * started in their own browser.
   * @throws GatewayError `not_found` (agent, request), or `invalid_request` for a scope that was not requested or a
   *   longer connection than the server allows
   */
  async consent(context: RequestContext, input: ConnectApplicationInput): Promise<ConnectApplicationResult> {
    const { requestId, agentId, scopes, expiresInDays } = input;
    const { caller, origin } = context;
    memberCaller(context);
    if (expiresInDays > this.maxDays) {
      const message = `must be at most ${this.maxDays}, the maximum key lifetime on this server`;
      throw new InvalidInput([{ path: "input.expiresInDays", message }]);
    }
    return this.database.writeFor(ownerOf(caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      await scopedAgentId(tx, context, agentId);
      const record = await returning<{ payload: string } | undefined>(
        tx,
        `update oauth_record set consumed_at = $1 where hash = $2 and consumed_at is null and expires_at > $3
         returning payload`,
        [timestamp(), recordHash("Interaction", requestId), timestamp()],
      );
      if (record === undefined) throw noSuch("request");
      const { params, prompt }: StoredRequest = JSON.parse(record.payload);
      const requested = scopesOf(params.scope);
      if (scopes.some((scope) => !requested.includes(scope)))
        throw new InvalidInput([{ path: "input.scopes", message: "must contain only requested scopes" }]);
      const consent: Consent = {
        requestId,
        context: { caller, origin },
        agentId,
        clientId: params.client_id,
        name: displayName(params.client_id, prompt.details.clientName),
        scopes: requested.filter((scope) => scopes.includes(scope)),
        expiresAt: timestamp(expiresInDays * DAY_MS),
      };
      const secret = randomBase62(43);
      await tx.insert(OAuthRecord, {
        hash: recordHash("Consent", secret),
        kind: "Consent",
        payload: JSON.stringify(consent),
        expiresAt: timestamp(CONSENT_MS),
      });
      return { redirectUrl: `${this.finishUrl(requestId)}?consent=${secret}` };
    });
  }

  /**
   * Connects an application if given a consent's single-use secret.
   * @returns the member and the new key, "rejected" if the member may no longer consent, or undefined if the
   *   consent does not exist or belongs to another request
   */
  async connect(requestId: string, secret: string): Promise<Connected | "rejected" | undefined> {
    try {
      return await this.database.write(async (tx) => {
        const record = await returning<{ payload: string } | undefined>(
          tx,
          "delete from oauth_record where hash = $1 and expires_at > $2 returning payload",
          [recordHash("Consent", secret), timestamp()],
        );
        if (record === undefined) return undefined;
        const consent: Consent = JSON.parse(record.payload);
        if (consent.requestId !== requestId) return undefined;
        return this.insert(tx, consent);
      });
    } catch (error) {
      if (error instanceof GatewayError && error.status < 500) return "rejected";
      throw error;
    }
  }

  private async insert(tx: Tx, consent: Consent): Promise<Connected> {
    const { context, agentId, clientId, name, scopes, expiresAt } = consent;
    const { id: memberId } = memberCaller(context);
    await assertSignedIn(tx, context, REQUIRED);
    await scopedAgentId(tx, context, agentId);
    const { apiKey } = await insertKey(tx, context, {
      organizationId: organizationOf(context),
      agentId,
      name,
      expiresAt,
      scopes,
      settings: { description: null, rateLimitPerMinute: null, allowedNetworks: null },
      environment: KEY_ENVIRONMENT[this.config.environment],
      application: { clientId, memberId },
    });
    await tx.update(
      OAuthRecord,
      { hash: recordHash("Client", clientId) },
      { expiresAt: timestamp(REGISTRATION_KEPT_MS) },
    );
    return { memberId, keyId: apiKey.id };
  }

  /** Returns a connection as a grant in the library's format; undefined if the connection has ended. */
  async grantOf(keyId: string): Promise<Payload | undefined> {
    if (!isUuid(keyId)) return undefined;
    const key = await this.database.read((reader) =>
      reader.findOne(ApiKey, { where: { id: keyId }, relations: { agent: { organization: true } } }),
    );
    const isActive = key?.state === "active" && key.agent?.organization?.deactivatedAt === null;
    if (!isActive || key.clientId === null || key.expiresAt === null) return undefined;
    const scope = key.scopes?.join(" ") ?? "";
    return {
      jti: key.id,
      kind: "Grant",
      accountId: key.memberId,
      clientId: key.clientId,
      iat: secondsOf(key.createdAt),
      exp: secondsOf(key.expiresAt),
      resources: Object.fromEntries(resourcesOf(baseUrlOf(this.config)).map(({ uri }) => [uri, scope])),
    };
  }

  /** Ends a connection, effective on the next request. */
  async end(keyId: string): Promise<void> {
    await this.database.write(async (tx) => {
      await endConnections(tx, { id: keyId });
      await tx.waitForInserts();
    });
  }

  private finishUrl(requestId: string): string {
    return `${baseUrlOf(this.config)}${INTERACTION_PATH}/${requestId}/finish`;
  }
}

const pendingRequest = (id: string) => ({ hash: recordHash("Interaction", id), consumedAt: IsNull() });

const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** Revokes the keys of connected applications; without a context, the gateway itself ends the connections. */
export async function endConnections(
  tx: Tx,
  which: { id: string } | { memberId: string } | { agentId: string },
  context?: RequestContext,
): Promise<void> {
  const keys = await tx.find(ApiKey, {
    where: { ...which, revokedAt: IsNull() },
    relations: { agent: { organization: true } },
    withDeleted: true,
    // Locks keys in ID order, as every transaction that revokes several keys does, to avoid deadlocks.
    order: { id: "ASC" },
  });
  for (const key of keys) {
    const organization = key.agent?.organization;
    if (key.clientId === null || organization === undefined) continue;
    const { affected } = await tx.update(
      ApiKey,
      { id: key.id, revokedAt: IsNull() },
      { revokedAt: timestamp(), reservedName: null },
    );
    if (affected !== 1) continue;
    await recordAudit(tx, context ?? systemFor(organization), apiKeyActions.api_key_revoked, key);
  }
}
