import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { InsertOrderLock } from "../../database/database";
import { ApiKey } from "../api-keys/api-key.entity";

/** Many rows in no order, for which two processes would wait for each other. */
export const USAGE_ORDER = new InsertOrderLock(3);

/** For how long uses are told (ms): a period of 30 days, and its first day's beginning. */
export const USE_LIFETIME_MS = 31 * 24 * 60 * 60 * 1000;

/** How often a key was presented in one hour, and with what outcome. */
@Entity()
export class HourlyUse {
  @PrimaryColumn({ type: "varchar", length: 36 })
  keyId!: string;

  // Without a constraint: a count must not wait for one who changes the key, nor the other way round.
  @ManyToOne(() => ApiKey, { createForeignKeyConstraints: false })
  key?: ApiKey;

  /** The hour's first moment. */
  @Index()
  @PrimaryColumn({ type: "varchar", length: 24 })
  hour!: Timestamp;

  @Column({ type: "integer" })
  accepted!: number;

  @Column({ type: "integer" })
  refused!: number;
}
