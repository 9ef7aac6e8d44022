import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../../database/columns";

/** Number of model calls by an agent with a daily limit on one day. */
@Entity()
@Index(["day"])
export class ModelUsage {
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  /** The start of the day (UTC). */
  @PrimaryColumn(TIMESTAMP_COLUMN)
  day!: Timestamp;

  @Column({ type: "integer" })
  asks!: number;
}
