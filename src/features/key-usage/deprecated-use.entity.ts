import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN } from "../../database/columns";
import { UseOfKey } from "./use-of-key.entity";

/** How often a key used a deprecated part of the APIs on one day (UTC). */
@Entity()
export class DeprecatedUse extends UseOfKey {
  /** Name of the deprecated part, as declared. */
  @PrimaryColumn({ type: "varchar", length: 200 })
  name!: string;

  /** Start of the day (UTC) on which the deprecated part was used. */
  @Index()
  @PrimaryColumn(TIMESTAMP_COLUMN)
  day!: Timestamp;

  @Column({ type: "integer" })
  uses!: number;

  @Column(TIMESTAMP_COLUMN)
  lastUsedAt!: Timestamp;
}
