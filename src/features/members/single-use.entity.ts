import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { sha256 } from "../../credentials/sha256";
import { TIMESTAMP_COLUMN } from "../../database/columns";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";

/** A used sign-in or token; each works only once. */
@Entity()
export class SingleUse {
  /** SHA-256 in hexadecimal. */
  @PrimaryColumn({ type: "varchar", length: 64 })
  hash!: string;

  @Index()
  @Column(TIMESTAMP_COLUMN)
  expiresAt!: Timestamp;
}

/**
 * Uses up a sign-in or token; only one of several concurrent uses succeeds.
 * @param expiresAt when it expires and is rejected anyway
 * @returns false if it was already used
 */
export async function useOnce(tx: Tx, what: string, expiresAt: Timestamp): Promise<boolean> {
  const row = await returning<SingleUse | undefined>(
    tx,
    "insert into single_use (hash, expires_at) values ($1, $2) on conflict (hash) do nothing returning hash",
    [sha256(what), expiresAt],
  );
  return row !== undefined;
}
