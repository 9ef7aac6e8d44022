import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../common/time";
import { Uuid } from "../common/uuid";

/** The kinds of lane. */
export enum LaneKind {
  /** A message outside of any conversation, on a lane of its own with the ID of the message. */
  message = "message",
  /** The messages of a conversation, on a lane with its ID. */
  conversation = "conversation",
}

/** A unit of ordered work; it exists only while it has work. */
@Entity()
@Index(["wakeAt"])
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
}
