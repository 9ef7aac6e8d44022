import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { ApiKey } from "../api-keys/api-key.entity";

/** How often a key used a deprecated part of the APIs on one day (UTC). */
@Entity()
export class DeprecatedUse {
  @PrimaryColumn(UUID_COLUMN)
  keyId!: string;

  // Not a foreign key, so that counting a key's uses and changing the key do not wait for each other's row locks.
  @ManyToOne(() => ApiKey, { createForeignKeyConstraints: false })
  key?: ApiKey;

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
