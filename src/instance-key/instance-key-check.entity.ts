import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { TIMESTAMP_COLUMN } from "../database/columns";

/** Identifies the instance key that rows of the database depend on; there is one row, or none while nothing does. */
@Entity()
export class InstanceKeyCheck {
  @PrimaryColumn({ type: "integer" })
  id!: number;

  /** Derived from the key; it does not reveal the key. */
  @Column({ type: "varchar", length: 44 })
  value!: string;

  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;
}
