import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";

/** A member's subscription to e-mails about an agent's handoffs. */
@Entity()
@Index(["agentId"])
export class HandoffSubscription {
  @PrimaryColumn(UUID_COLUMN)
  memberId!: string;

  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;
}
