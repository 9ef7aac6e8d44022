import type { Adapter, Payload } from "oidc-provider";
import { DAY_MS, timestamp, timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { returning } from "../../database/returning";
import { OAuthRecord, recordHash } from "./oauth-record.entity";

/** How long the registration of an application that nobody has connected is kept (ms). */
const REGISTRATION_MS = DAY_MS;

/** What the records need to know about keys, which stand for the library's grants. */
interface Grants {
  grantOf(keyId: string): Promise<Payload | undefined>;
  end(keyId: string): Promise<void>;
}

/** Stores the library's records, so that any process can serve any request. */
export class OAuthRecords {
  constructor(
    private readonly database: Database,
    private readonly grants: Grants,
  ) {}

  /**
   * @param kind the library's name for a kind of record
   * @param alreadyUsed creates the error for a code or token that was already used
   */
  adapter(kind: string, alreadyUsed: () => Error): Adapter {
    const none = async () => undefined;
    const unused = { findByUid: none, findByUserCode: none };
    // The member's session is the gateway's own; the library's would only let applications skip the consent.
    if (kind === "Session")
      return { ...unused, upsert: none, find: none, consume: none, destroy: none, revokeByGrantId: none };
    return {
      ...unused,
      upsert: (id, payload, seconds) => this.store(kind, id, payload, seconds),
      find: (id) => (kind === "Grant" ? this.grants.grantOf(id) : this.find(kind, id)),
      consume: (id) => this.consume(kind, id, alreadyUsed),
      destroy: (id) => (kind === "Grant" ? this.grants.end(id) : this.delete({ hash: recordHash(kind, id) })),
      revokeByGrantId: (keyId) => this.delete({ kind, keyId }),
    };
  }

  /** A record that has not expired, without regard to its use. */
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
    const expiresAt =
      seconds === undefined ? timestamp(REGISTRATION_MS) : timestampOf(Date.now() + seconds * 1000);
    await this.database.write((tx) =>
      tx.query(
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
      ),
    );
  }

  /** Uses a code or token up; of concurrent uses, one succeeds, and each further one ends the connection. */
  private async consume(kind: string, id: string, alreadyUsed: () => Error): Promise<void> {
    const hash = recordHash(kind, id);
    const used = await this.database.write((tx) =>
      returning<{ hash: string } | undefined>(
        tx,
        "update oauth_record set consumed_at = $1 where hash = $2 and consumed_at is null returning hash",
        [timestamp(), hash],
      ),
    );
    if (used !== undefined) return;
    const record = await this.database.read((reader) => reader.findOneBy(OAuthRecord, { hash }));
    if (record?.keyId) await this.grants.end(record.keyId);
    throw alreadyUsed();
  }

  private async delete(which: { hash: string } | { kind: string; keyId: string }): Promise<void> {
    await this.database.write((tx) => tx.delete(OAuthRecord, which));
  }
}
