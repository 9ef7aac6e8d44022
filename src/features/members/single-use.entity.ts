import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { sha256 } from "../../credentials/sha256";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";

/**
 * A challenge, sign-in or token that works only once. The row of a passkey challenge is deleted when the challenge is
 * used; the row of a sign-in or token is inserted when it is used.
 */
@Entity()
export class SingleUse {
  /** SHA-256 of the challenge, sign-in or token, in hexadecimal. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  hash!: string;

  /** The session that may use the challenge to add a passkey; null for all other rows. */
  @Column({ ...UUID_COLUMN, nullable: true })
  sessionId!: string | null;

  /** The member who must sign the challenge; null if any member may, or if the row is for something else. */
  @Column({ ...UUID_COLUMN, nullable: true })
  memberId!: string | null;

  @Index()
  @Column(TIMESTAMP_COLUMN)
  expiresAt!: Timestamp;
}

/**
 * Uses up a sign-in or token; of several concurrent calls, only one succeeds. Returns false if it was already used.
 * @param expiresAt when the sign-in or token expires, after which it is rejected even without this row
 */
export async function useOnce(tx: Tx, what: string, expiresAt: Timestamp): Promise<boolean> {
  const row = await returning<SingleUse | undefined>(
    tx,
    "insert into single_use (hash, expires_at) values ($1, $2) on conflict (hash) do nothing returning hash",
    [sha256(what), expiresAt],
  );
  return row !== undefined;
}
