import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import type { AttemptOutcome } from "../../delivery/driver";
import { Message } from "./message.entity";

/** One attempt to send a message. */
@Entity()
@Index(["startedAt"])
export class DeliveryAttempt {
  @PrimaryColumn({ type: "varchar", length: 36 })
  messageId!: string;

  @ManyToOne(() => Message)
  message?: Message;

  /** 1 for the first attempt. */
  @PrimaryColumn({ type: "integer" })
  number!: number;

  @Column({ type: "varchar", length: 36, nullable: true })
  lineId!: string | null;

  @Column({ type: "varchar", length: 24 })
  startedAt!: Timestamp;

  @Column({ type: "varchar", length: 24, nullable: true })
  endedAt!: Timestamp | null;

  /** Null while it is being made. */
  @Column({ type: "varchar", length: 16, nullable: true })
  outcome!: AttemptOutcome | null;

  /** What went wrong, for programs. */
  @Column({ type: "varchar", length: 64, nullable: true })
  code!: string | null;

  /** What went wrong, for people. */
  @Column({ type: "varchar", length: 500, nullable: true })
  detail!: string | null;
}
