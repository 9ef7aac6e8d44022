import { randomUUID } from "node:crypto";
import type { Adapter, Payload } from "oidc-provider";
import { MoreThan } from "typeorm";
import { DAY_MS, type Timestamp, timestamp, timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { returning } from "../../database/returning";
import type { Tx, UnitOfWork } from "../../database/unit-of-work";
import type { RejectedTokens } from "../../rate-limits/rejected-tokens";
import type { ConnectionService } from "./connection.service";
import { OAuthRecord, recordHash } from "./oauth-record.entity";

/** Lifetime of an application's registration while the application is not connected (ms). */
const REGISTRATION_MS = DAY_MS;

/** Retention of a used refresh token (ms), so that reusing it after `OVERLAP_MS` ends the connection. */
const USED_TOKEN_MS = 30 * DAY_MS;

/** Time for which a used refresh token can be reused (ms): by concurrent requests or after a lost response. */
const OVERLAP_MS = 30_000;

/** Max times that a connection can use refresh tokens per day; limits the number of retained tokens. */
const REFRESHES_PER_DAY = 200;

interface LibraryAccess {
  /** Returns an object that identifies the current request. */
  request(): object;
  /** Returns the number of tokens that the current token request stores if it succeeds. */
  tokens(): number;
  /** Returns the error for a code, token or request that has already been used. */
  alreadyUsed(): Error;
  /** Returns the error for a refresh token of a connection that has used too many refresh tokens. */
  tooMany(): Error;
}

/** The code or refresh token that a token request uses up, and the writes that store its new tokens. */
interface Exchange {
  kind: string;
  id: string;
  writes: UnitOfWork<void>[];
}

/** Stores the library's records, so that any process can serve any request. */
export class OAuthRecords {
  /** Each request's exchange, written once all its tokens are known, so that a failed request can be retried. */
  private readonly exchanges = new WeakMap<object, Exchange>();

  constructor(
    private readonly database: Database,
    /** Finds and revokes the API keys that the library's grants stand for. */
    private readonly grants: Pick<ConnectionService, "grantOf" | "end">,
    private readonly rejectedTokens: RejectedTokens,
  ) {}

  /** @param kind the library's name for a kind of record */
  adapter(kind: string, library: LibraryAccess): Adapter {
    const none = async () => undefined;
    const unused = { findByUid: none, findByUserCode: none };
    // The gateway has its own sessions; the library's sessions would merely let applications skip the consent.
    if (kind === "Session")
      return { ...unused, upsert: none, find: none, consume: none, destroy: none, revokeByGrantId: none };
    return {
      ...unused,
      upsert: (id, payload, seconds) =>
        this.upsert(kind, id, (tx) => store(tx, kind, id, payload, seconds), library),
      find: (id) => (kind === "Grant" ? this.grants.grantOf(id) : this.find(kind, id)),
      consume: async (id) => {
        this.exchanges.set(library.request(), { kind, id, writes: [] });
      },
      destroy: (id) => (kind === "Grant" ? this.grants.end(id) : this.destroy(kind, id, library)),
      revokeByGrantId: async (keyId) => {
        await this.database.write((tx) => tx.delete(OAuthRecord, { kind, keyId }));
      },
    };
  }

  /** Returns a record that has not expired, even if it has been used; `consumed` is absent while it can be used. */
  async find(kind: string, id: string): Promise<Payload | undefined> {
    const hash = recordHash(kind, id);
    const record = await this.database.read((reader) => reader.findOneBy(OAuthRecord, { hash }));
    if (record === null || record.expiresAt <= timestamp()) return undefined;
    const { consumedAt } = record;
    const isUsed = consumedAt !== null && !(kind === "RefreshToken" && consumedAt > timestamp(-OVERLAP_MS));
    return {
      ...JSON.parse(record.payload),
      jti: id,
      ...(isUsed && { consumed: Math.floor(Date.parse(consumedAt) / 1000) }),
    };
  }

  private async upsert(
    kind: string,
    id: string,
    write: UnitOfWork<void>,
    library: LibraryAccess,
  ): Promise<void> {
    const request = library.request();
    const exchange = this.exchanges.get(request);
    if (exchange === undefined) await this.database.write(write);
    else if (exchange.writes.push(write) === library.tokens()) {
      this.exchanges.delete(request);
      await this.finish(exchange, library);
    }
    if (kind === "AccessToken") this.rejectedTokens.remember(recordHash(kind, id));
  }

  /** Uses up a code or refresh token and stores the new tokens; ends the connection of one that is no longer usable. */
  private async finish({ kind, id, writes }: Exchange, errors: LibraryAccess): Promise<void> {
    const hash = recordHash(kind, id);
    const consumedAt = timestamp();
    const isUsable = await this.database.write(async (tx) => {
      const record = await returning<{ keyId: string | null; consumedAt: Timestamp } | undefined>(
        tx,
        `update oauth_record
         set consumed_at = coalesce(consumed_at, $1),
             expires_at = case when expires_at < $2 then expires_at else $2 end
         where hash = $3 and (consumed_at is null or (kind = 'RefreshToken' and consumed_at > $4))
         returning key_id as "keyId", consumed_at as "consumedAt"`,
        [consumedAt, timestamp(USED_TOKEN_MS), hash, timestamp(-OVERLAP_MS)],
      );
      if (record === undefined) return false;
      if (kind === "RefreshToken" && record.keyId) {
        // Inserts a row for each reuse, so that reuses also count toward the limit.
        if (record.consumedAt !== consumedAt) {
          const { keyId } = record;
          const reuse = { hash: randomUUID(), kind, payload: "{}", keyId, consumedAt };
          await tx.insert(OAuthRecord, { ...reuse, expiresAt: timestamp(DAY_MS) });
        }
        const since = MoreThan(timestamp(-DAY_MS));
        const count = await tx.countBy(OAuthRecord, { kind, keyId: record.keyId, consumedAt: since });
        if (count > REFRESHES_PER_DAY) throw errors.tooMany();
      }
      for (const write of writes) await write(tx);
      return true;
    });
    if (isUsable) return;
    const record = await this.database.read((reader) => reader.findOneBy(OAuthRecord, { hash }));
    if (record?.keyId) await this.grants.end(record.keyId);
    throw errors.alreadyUsed();
  }

  /** Deletes a record. Only one of several concurrent requests succeeds, so that each consent yields only one code. */
  private async destroy(kind: string, id: string, { alreadyUsed }: LibraryAccess): Promise<void> {
    const hash = recordHash(kind, id);
    const { affected } = await this.database.write((tx) => tx.delete(OAuthRecord, { hash }));
    if (kind === "Interaction" && affected !== 1) throw alreadyUsed();
  }
}

async function store(
  tx: Tx,
  kind: string,
  id: string,
  { jti: _, ...payload }: Payload,
  seconds?: number,
): Promise<void> {
  const { grantId, scope } = payload;
  const expiresAt =
    seconds === undefined ? timestamp(REGISTRATION_MS) : timestampOf(Date.now() + seconds * 1000);
  await tx.query(
    `insert into oauth_record (hash, kind, payload, expires_at, key_id, scopes)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    [
      recordHash(kind, id),
      kind,
      JSON.stringify(payload),
      expiresAt,
      typeof grantId === "string" && isUuid(grantId) ? grantId : null,
      kind === "AccessToken" && typeof scope === "string" ? scope.replaceAll(" ", ",") : null,
    ],
  );
}
