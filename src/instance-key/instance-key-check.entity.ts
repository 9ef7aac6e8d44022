import { Column, Entity, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { TIMESTAMP_COLUMN } from "../database/columns";

/** Identifies the instance key that rows in the database depend on; the table is empty if none do. */
@Entity()
export class InstanceKeyCheck {
  @PrimaryColumn({ type: "integer" })
  id!: number;

  /** A value that is derived from the key but does not reveal it. */
  @Column({ type: "varchar", length: 44 })
  value!: string;

  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;
}
