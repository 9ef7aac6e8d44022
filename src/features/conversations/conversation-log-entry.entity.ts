import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { UUID_COLUMN } from "../../database/columns";
import { ConnectionOf } from "../../pagination/connection";
import { NullableId, TimeColumn } from "../../schema/columns";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { ActorKind } from "../audit/audit-entry.entity";

/** Max length of a stored reason (code points). */
export const REASON_MAX_LENGTH = 500;

export const ConversationLogKind = enumOf("ConversationLogKind", "A kind of change to a conversation.", {
  moved: "The conversation was moved to another line.",
  handed_off: "The conversation was handed off to a human.",
  released: "The conversation was released to the agent.",
  assigned: "The conversation was assigned to a member or unassigned.",
  closed: "The conversation was closed.",
});
export type ConversationLogKind = keyof typeof ConversationLogKind;

@ObjectType({ description: "A log entry for a change to a conversation." })
@Entity()
@Index(["agentId", "id"])
@Index(["conversationId", "id"])
export class ConversationLogEntry {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by time)." })
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  agentId!: string;

  @Column(UUID_COLUMN)
  conversationId!: string;

  @Field(() => ConversationLogKind, { description: "The kind of change." })
  @Column({ type: "varchar", length: 16 })
  kind!: ConversationLogKind;

  @Field(() => ActorKind, { description: "The kind of caller that made the change or caused the decision." })
  @Column({ type: "varchar", length: 16 })
  actorKind!: ActorKind;

  @Field(() => String, {
    description: "Name of the caller: an e-mail address, a key's hint, `gateway` or `command line`.",
  })
  @Column({ type: "varchar", length: 254 })
  actorName!: string;

  @NullableId("ID of the agent's decision that made the change, or null if the caller made it.")
  decisionId!: string | null;

  @ThirdPartyText()
  @Nullable(() => String, "The agent's reason for the handoff, or null for other changes.")
  @MaxCharacters(REASON_MAX_LENGTH)
  @Column({ type: "varchar", length: REASON_MAX_LENGTH, nullable: true })
  reason!: string | null;

  @Nullable(
    () => String,
    "The previous line or assignee. Null if there was none, or if the change is of another kind.",
  )
  @Column({ type: "varchar", length: 254, nullable: true })
  before!: string | null;

  @Nullable(
    () => String,
    "The new line or assignee. Null if there is none, or if the change is of another kind.",
  )
  @Column({ type: "varchar", length: 254, nullable: true })
  after!: string | null;

  @TimeColumn("When the change was made.")
  createdAt!: Timestamp;
}

export const ConversationLogConnection = ConnectionOf(ConversationLogEntry, "conversation-log", isUuid);
export type ConversationLogConnection = InstanceType<typeof ConversationLogConnection>;
