import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { Uuid } from "../common/uuid";

/** Work that must run in order; the row exists only while there is work. */
@Entity()
@Index(["needsSender", "wakeAt"])
@Index(["agentId", "id"])
export class Lane {
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  /** The kind of work; see `lanes` of `Feature`. */
  @Column({ type: "varchar", length: 16 })
  kind!: string;

  /** When the work is due. */
  @Column({ type: "varchar", length: 24 })
  wakeAt!: Timestamp;

  /** True if the work needs a free sender, because it contacts another system. */
  @Column({ type: "boolean", default: false })
  needsSender!: boolean;

  /** The channel that the work needs: a line, a webhook endpoint or another group; null if unknown. */
  @Column({ name: "line_id", type: "varchar", length: 36, nullable: true })
  channelId!: string | null;

  /** Progress of work that is done in parts, in a format that depends on the lane's kind; null for other work. */
  @Column({ type: "varchar", length: 36, nullable: true })
  position!: string | null;

  /** Unique ID of the send that holds the lane; null if there is none. */
  @Column({ type: "varchar", length: 36, nullable: true })
  lease!: string | null;

  /** When the send's lease expires, by the database's clock; afterwards, any process may take over the work. */
  @Column({ type: "varchar", length: 24, nullable: true })
  leaseUntil!: Timestamp | null;
}
