import { Column, Entity, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Message } from "./message.entity";

/** What came of an attempt to send a message. */
export enum AttemptOutcome {
  accepted = "accepted",
}

/** One attempt to send a message. */
@Entity()
export class DeliveryAttempt {
  @PrimaryColumn({ type: "varchar", length: 36 })
  messageId!: string;

  @ManyToOne(() => Message)
  message?: Message;

  /** 1 for the first attempt. */
  @PrimaryColumn({ type: "integer" })
  number!: number;

  @Column({ type: "varchar", length: 24 })
  startedAt!: Timestamp;

  @Column({ type: "varchar", length: 24, nullable: true })
  endedAt!: Timestamp | null;

  @Column({ type: "varchar", length: 16, nullable: true })
  outcome!: AttemptOutcome | null;
}
