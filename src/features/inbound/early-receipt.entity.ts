import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { PROVIDER_ID_MAX_LENGTH } from "../../delivery/driver";
import { ERROR_TEXT_MAX_LENGTH } from "../messages/message.entity";
import type { Receipt } from "../messages/receipts";

/** A receipt that arrived before the response to the send, which contains the message ID that the receipt names. */
@Entity()
@Index(["agentId", "id"])
export class EarlyReceipt {
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  @Column({ type: "varchar", length: 36 })
  lineId!: string;

  @Column({ type: "varchar", length: PROVIDER_ID_MAX_LENGTH })
  providerId!: string;

  @Column({ type: "varchar", length: 16 })
  status!: Receipt["status"];

  /** The time of the reported change. */
  @Column({ type: "varchar", length: 24 })
  at!: Timestamp;

  @Column({ type: "varchar", length: ERROR_TEXT_MAX_LENGTH, nullable: true })
  errorText!: string | null;

  @Column({ type: "varchar", length: 24 })
  createdAt!: Timestamp;

  /** When the receipt's message is next looked up. */
  @Column({ type: "varchar", length: 24 })
  dueAt!: Timestamp;
}
