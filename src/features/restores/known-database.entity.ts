import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN } from "../../database/columns";

/** ID of the table's only row. */
export const KNOWN_DATABASE_ID = 1;

/**
 * Properties, by name, that distinguish a database from its restored copies; a failover does not change them.
 */
export type DatabaseIdentity = Readonly<Record<string, string>>;

/**
 * The database that the gateway last delivered from. In a restored copy, this row still has the original's
 * identity.
 */
@Entity()
export class KnownDatabase {
  @PrimaryColumn({ type: "integer" })
  id!: number;

  /**
   * The database's identity; null on SQLite, where the gateway's own `restore` command makes detecting a restore
   * unnecessary.
   */
  @Column({ type: "simple-json", nullable: true })
  identity!: DatabaseIdentity | null;

  /**
   * When the database was last found or declared to be restored from a backup; null if it never was, or if the notice
   * was dismissed.
   */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  restoredAt!: Timestamp | null;
}
