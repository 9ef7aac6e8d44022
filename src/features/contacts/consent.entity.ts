import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { UUID_COLUMN } from "../../database/columns";
import { TimeColumn } from "../../schema/columns";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Agent } from "../agents/agent.entity";
import { CONSENT_TOPIC_MAX_LENGTH, EVIDENCE_MAX_LENGTH } from "./contact.limits";

/** Topic that stands for all messages to an address. */
export const ALL_TOPICS = "*";

export const ConsentState = enumOf("ConsentState", "State of a contact's consent to messages.", {
  in: "The contact accepts messages on the topic.",
  out: "The contact has opted out of messages on the topic.",
});
export type ConsentState = keyof typeof ConsentState;

export const ConsentSource = enumOf("ConsentSource", "Source of a consent.", {
  contact: "Set because the contact wrote STOP or START, or complained about a message.",
  unsubscribe: "Set through the unsubscribe link in a message to the address.",
  api: "Set by a client with an API key.",
  member: "Set by a member of the organization.",
  import: "Set by a batch import of contacts.",
});
export type ConsentSource = keyof typeof ConsentSource;

@ObjectType({
  description:
    "Consent to receive messages at an address. It is retained after the address or contact is removed, and takes effect again if the address is re-added.",
})
@Entity()
@Index(["addressHash", "topic"], { unique: true })
@Index(["addressId"])
@Index(["agentId", "id"])
export class Consent {
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  /** Keyed hash of the agent and the address, retained after the address is deleted. */
  @Column({ type: "varchar", length: 44 })
  addressHash!: string;

  /** ID of the contact's address; null while the address belongs to no contact. */
  @Field(() => ID, { description: "ID of the contact's address." })
  @Column({ ...UUID_COLUMN, nullable: true })
  addressId!: string | null;

  @Field(() => String, {
    description: "Topic of the messages, or `*` for all messages to the address.",
  })
  @MaxCharacters(CONSENT_TOPIC_MAX_LENGTH)
  @Column({ type: "varchar", length: CONSENT_TOPIC_MAX_LENGTH })
  topic!: string;

  @Field(() => ConsentState, { description: "State of the consent." })
  @Column({ type: "varchar", length: 3 })
  state!: ConsentState;

  @Field(() => ConsentSource, { description: "Source of the consent." })
  @Column({ type: "varchar", length: 11 })
  source!: ConsentSource;

  @ThirdPartyText()
  @Nullable(() => String, "Evidence that the contact agreed or objected, or null if none was recorded.")
  @MaxCharacters(EVIDENCE_MAX_LENGTH)
  @Column({ type: "varchar", length: EVIDENCE_MAX_LENGTH, nullable: true })
  evidence!: string | null;

  @TimeColumn("When the consent was last set.")
  changedAt!: Timestamp;
}
