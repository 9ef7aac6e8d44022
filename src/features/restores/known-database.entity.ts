import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN } from "../../database/columns";

/** ID of the only row of its table. */
export const KNOWN_DATABASE_ID = 1;

/** Properties that distinguish a database from restored copies, by name; a failover does not change them. */
export type DatabaseIdentity = Readonly<Record<string, string>>;

/**
 * The database that the gateway last delivered from. In a restored database, the copied row does not match the
 * database's own identity.
 */
@Entity()
export class KnownDatabase {
  @PrimaryColumn({ type: "integer" })
  id!: number;

  /** Null on SQLite, where `restore` is a command of the gateway. */
  @Column({ type: "simple-json", nullable: true })
  identity!: DatabaseIdentity | null;

  /**
   * When the database was last found or declared to be restored from a backup; null if it never was, or if the notice
   * was dismissed.
   */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  restoredAt!: Timestamp | null;
}
