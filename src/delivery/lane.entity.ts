import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { Uuid } from "../common/uuid";

/** A unit of ordered work; it exists only while it has work. */
@Entity()
@Index(["needsSender", "wakeAt"])
@Index(["agentId", "id"])
export class Lane {
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  /** Names the work of a feature; see `lanes` of `Feature`. */
  @Column({ type: "varchar", length: 16 })
  kind!: string;

  /** When its work is due. */
  @Column({ type: "varchar", length: 24 })
  wakeAt!: Timestamp;

  /** True if its work waits for a free sender, because it connects to another system. */
  @Column({ type: "boolean", default: false })
  needsSender!: boolean;

  /** The channel that its work waits for: a line, a webhook endpoint or another group; null if unknown. */
  @Column({ name: "line_id", type: "varchar", length: 36, nullable: true })
  channelId!: string | null;

  /** Where work that is done in parts continues, by its kind; null for other work. */
  @Column({ type: "varchar", length: 36, nullable: true })
  position!: string | null;

  /** Identifies the send that holds the lane; null while none does. No other send ever has the same. */
  @Column({ type: "varchar", length: 36, nullable: true })
  lease!: string | null;

  /** Until when the send may hold the lane, by the clock of the database; then the work is due for everyone again. */
  @Column({ type: "varchar", length: 24, nullable: true })
  leaseUntil!: Timestamp | null;
}
