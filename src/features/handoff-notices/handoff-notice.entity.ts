import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";

/**
 * An e-mail to a member about a conversation that was handed off. While its row exists, the member is sent no
 * other e-mail about the conversation; the row is deleted when a person opens the conversation.
 */
@Entity()
@Index(["conversationId", "memberId"], { unique: true })
@Index(["agentId", "id"])
@Index(["memberId"])
@Index(["createdAt"])
export class HandoffNotice {
  /** The notice's ID, shared by its lane and its e-mail. */
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  agentId!: string;

  @Column(UUID_COLUMN)
  conversationId!: string;

  @Column(UUID_COLUMN)
  memberId!: string;

  /** Number of attempts to send the e-mail; an attempt that may have delivered it is counted as ten. */
  @Column({ type: "integer" })
  attempts!: number;

  /** Earliest time of the next attempt; the current attempt must end before then. Null before the first attempt. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  retryAt!: Timestamp | null;

  /** When the mail server accepted the e-mail; null until then. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  sentAt!: Timestamp | null;

  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;
}
