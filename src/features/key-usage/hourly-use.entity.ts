import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { DAY_MS, type Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN } from "../../database/columns";
import { UseOfKey } from "./use-of-key.entity";

/** Retention (ms): the longest reported period, 30 days, plus the rest of its first day. */
export const USE_LIFETIME_MS = 31 * DAY_MS;

/** A key's requests in one hour: their number by outcome, and the last accepted use. */
@Entity()
export class HourlyUse extends UseOfKey {
  @Index()
  @PrimaryColumn(TIMESTAMP_COLUMN)
  hour!: Timestamp;

  @Column({ type: "integer" })
  accepted!: number;

  @Column({ type: "integer" })
  refused!: number;

  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  lastUsedAt!: Timestamp | null;

  @Column({ type: "varchar", length: 45, nullable: true })
  lastUsedIp!: string | null;
}
