import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN } from "../../database/columns";
import { UseOfKey } from "./use-of-key.entity";

/**
 * How often a key was used on one day (UTC) for the same operation, from the same address and with the same outcome.
 * Uses beyond the max number of combinations share a row whose operation, address and outcome are empty.
 */
@Entity()
export class OperationUse extends UseOfKey {
  @Index()
  @PrimaryColumn(TIMESTAMP_COLUMN)
  day!: Timestamp;

  @PrimaryColumn({ type: "varchar", length: 200 })
  operation!: string;

  /** Empty if the address is unknown, because a primary key cannot contain nulls. */
  @PrimaryColumn({ type: "varchar", length: 45 })
  ip!: string;

  @PrimaryColumn({ type: "varchar", length: 50 })
  outcome!: string;

  @Column({ type: "integer" })
  uses!: number;

  @Column(TIMESTAMP_COLUMN)
  lastUsedAt!: Timestamp;
}
