import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { Uuid } from "../common/uuid";

/** The kinds of lane. */
export enum LaneKind {
  /** A message outside of any conversation, on a lane of its own with the ID of the message. */
  message = "message",
  /** The messages of a conversation, on a lane with its ID. */
  conversation = "conversation",
  /** A decision that no request waits for, on a lane with its ID. */
  decision = "decision",
  /** The deliveries of one subject to one webhook endpoint. */
  webhook = "webhook",
  /** A receipt about a message that is not known yet, on a lane with the ID of the receipt. */
  receipt = "receipt",
}

/** A unit of ordered work; it exists only while it has work. */
@Entity()
@Index(["needsSender", "wakeAt"])
@Index(["agentId"])
export class Lane {
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  @Column({ type: "varchar", length: 16 })
  kind!: LaneKind;

  /** When its work is due. */
  @Column({ type: "varchar", length: 24 })
  wakeAt!: Timestamp;

  /** Whether its work waits for a free sender, because it connects to another system. */
  @Column({ type: "boolean", default: false })
  needsSender!: boolean;

  /** The group of senders that its work waits for, such as the line that it leaves on; null if that is unknown. */
  @Column({ type: "varchar", length: 36, nullable: true })
  lineId!: string | null;

  /** Identifies the send that holds the lane; null while none does. No other send ever has the same. */
  @Column({ type: "varchar", length: 36, nullable: true })
  lease!: string | null;

  /** Until when the send may hold the lane, by the clock of the database; then the work is due for everyone again. */
  @Column({ type: "varchar", length: 24, nullable: true })
  leaseUntil!: Timestamp | null;
}
