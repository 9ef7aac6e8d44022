import type { Adapter, Payload } from "oidc-provider";
import { MoreThan } from "typeorm";
import { DAY_MS, timestamp, timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { returning } from "../../database/returning";
import type { RejectedTokens } from "../../rate-limits/rejected-tokens";
import { OAuthRecord, recordHash } from "./oauth-record.entity";

/** Lifetime of a registration whose application is not connected (ms). */
const REGISTRATION_MS = DAY_MS;

/** Lifetime of a used refresh token (ms), which is kept so that using it again ends the connection. */
const USED_TOKEN_MS = 30 * DAY_MS;

/** Max refresh tokens that a connection can use per day; limits the number of kept tokens. */
const REFRESHES_PER_DAY = 200;

/** Finds and ends the keys that stand for the library's grants. */
interface Grants {
  grantOf(keyId: string): Promise<Payload | undefined>;
  end(keyId: string): Promise<void>;
}

/** Creates the library's errors. */
interface RecordErrors {
  /** Returns the error for a code, token or request that was already used. */
  alreadyUsed(): Error;
  /** Returns the error for a refresh token of a connection that has used too many. */
  tooMany(): Error;
}

/** Stores the library's records, so that any process can serve any request. */
export class OAuthRecords {
  constructor(
    private readonly database: Database,
    private readonly grants: Grants,
    private readonly rejectedTokens: RejectedTokens,
  ) {}

  /** @param kind the library's name for a kind of record */
  adapter(kind: string, errors: RecordErrors): Adapter {
    const none = async () => undefined;
    const unused = { findByUid: none, findByUserCode: none };
    // The member's session is the gateway's own; the library's would only let applications skip the consent.
    if (kind === "Session")
      return { ...unused, upsert: none, find: none, consume: none, destroy: none, revokeByGrantId: none };
    return {
      ...unused,
      upsert: (id, payload, seconds) => this.store(kind, id, payload, seconds),
      find: (id) => (kind === "Grant" ? this.grants.grantOf(id) : this.find(kind, id)),
      consume: (id) => this.consume(kind, id, errors),
      destroy: (id) => (kind === "Grant" ? this.grants.end(id) : this.destroy(kind, id, errors)),
      revokeByGrantId: (keyId) => this.deleteOf(kind, keyId),
    };
  }

  /** Returns a record that has not expired, even if it has been used. */
  async find(kind: string, id: string): Promise<Payload | undefined> {
    const hash = recordHash(kind, id);
    const record = await this.database.read((reader) => reader.findOneBy(OAuthRecord, { hash }));
    if (record === null || record.expiresAt <= timestamp()) return undefined;
    const { consumedAt } = record;
    const consumed = consumedAt === null ? undefined : Math.floor(Date.parse(consumedAt) / 1000);
    return { ...JSON.parse(record.payload), jti: id, ...(consumed !== undefined && { consumed }) };
  }

  private async store(
    kind: string,
    id: string,
    { jti: _, ...payload }: Payload,
    seconds?: number,
  ): Promise<void> {
    const { grantId, scope } = payload;
    const hash = recordHash(kind, id);
    const expiresAt =
      seconds === undefined ? timestamp(REGISTRATION_MS) : timestampOf(Date.now() + seconds * 1000);
    await this.database.write((tx) =>
      tx.query(
        `insert into oauth_record (hash, kind, payload, expires_at, key_id, scopes)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
        [
          hash,
          kind,
          JSON.stringify(payload),
          expiresAt,
          typeof grantId === "string" && isUuid(grantId) ? grantId : null,
          kind === "AccessToken" && typeof scope === "string" ? scope.replaceAll(" ", ",") : null,
        ],
      ),
    );
    if (kind === "AccessToken") this.rejectedTokens.remember(hash);
  }

  /** Uses up a code or token. Only one of several concurrent uses succeeds; each further use ends the connection. */
  private async consume(kind: string, id: string, errors: RecordErrors): Promise<void> {
    const hash = recordHash(kind, id);
    const used = await this.database.write(async (tx) => {
      const record = await returning<{ keyId: string | null } | undefined>(
        tx,
        `update oauth_record
         set consumed_at = $1, expires_at = case when expires_at < $2 then expires_at else $2 end
         where hash = $3 and consumed_at is null returning key_id as "keyId"`,
        [timestamp(), timestamp(USED_TOKEN_MS), hash],
      );
      if (kind !== "RefreshToken" || !record?.keyId) return record;
      const since = MoreThan(timestamp(-DAY_MS));
      const count = await tx.countBy(OAuthRecord, { kind, keyId: record.keyId, consumedAt: since });
      if (count > REFRESHES_PER_DAY) throw errors.tooMany();
      return record;
    });
    if (used !== undefined) return;
    const record = await this.database.read((reader) => reader.findOneBy(OAuthRecord, { hash }));
    if (record?.keyId) await this.grants.end(record.keyId);
    throw errors.alreadyUsed();
  }

  /** Deletes a record. Only one of several concurrent answers succeeds, so each consent leads to only one code. */
  private async destroy(kind: string, id: string, { alreadyUsed }: RecordErrors): Promise<void> {
    const hash = recordHash(kind, id);
    const { affected } = await this.database.write((tx) => tx.delete(OAuthRecord, { hash }));
    if (kind === "Interaction" && affected !== 1) throw alreadyUsed();
  }

  private async deleteOf(kind: string, keyId: string): Promise<void> {
    await this.database.write((tx) => tx.delete(OAuthRecord, { kind, keyId }));
  }
}
