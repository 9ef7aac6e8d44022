import { Field, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { isUuid, Uuid } from "../../common/uuid";
import { TIMESTAMP_COLUMN } from "../../database/columns";
import { ConnectionOf } from "../../pagination/connection";
import { IdColumn, NullableTime, TimeColumn } from "../../schema/columns";
import { GraphQLJsonObject } from "../../schema/json-object";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Agent } from "../agents/agent.entity";
import { ATTRIBUTES_MAX_BYTES, CONTACT_NAME_MAX_LENGTH, REF_MAX_LENGTH } from "./contact.limits";

@ObjectType({ description: "A person an agent talks to." })
@Entity()
@Index(["agentId", "ref"], { unique: true })
// Erased contacts have a separate index, so that lists do not have to skip over them.
@Index("contact_listed", ["agentId", "id"], { where: "erased_at IS NULL" })
@Index("contact_erased", ["agentId", "id"], { where: "erased_at IS NOT NULL" })
@Index("contact_touched", ["agentId", "touchedAt", "id"], { where: "touched_at IS NOT NULL" })
export class Contact {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by creation time)." })
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @IdColumn("ID of the contact's agent.")
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Nullable(() => String, "Your own ID for the contact, unique within the agent.")
  @MaxCharacters(REF_MAX_LENGTH)
  @Column({ type: "varchar", length: REF_MAX_LENGTH, nullable: true })
  ref!: string | null;

  @ThirdPartyText()
  @Nullable(() => String, "Name of the contact.")
  @Column({ type: "varchar", length: CONTACT_NAME_MAX_LENGTH, nullable: true })
  name!: string | null;

  @Nullable(() => String, "Language as a BCP 47 tag, such as `de-CH`.")
  @Column({ type: "varchar", length: 35, nullable: true })
  locale!: string | null;

  @Nullable(() => String, "IANA time zone, such as `Europe/Zurich`.")
  @Column({ type: "varchar", length: 64, nullable: true })
  timezone!: string | null;

  @Field(() => GraphQLJsonObject, { description: "Your own data about the contact." })
  @MaxCharacters(ATTRIBUTES_MAX_BYTES)
  @Column({ type: "simple-json", default: "{}" })
  attributes!: Record<string, unknown>;

  @Field(() => Int, {
    description: "Version number, incremented by every change except tag changes.",
  })
  @Column({ type: "integer" })
  version!: number;

  /** False if the contact has no waiting timers, so that events need not look for timers to cancel. */
  @Column({ type: "boolean", default: false })
  hasTimers!: boolean;

  @NullableTime(
    "When all conversations with the contact were handed off to a human, including conversations opened since. Null if they were not handed off or have been released.",
  )
  handedOffAt!: Timestamp | null;

  @TimeColumn("When the contact was created.")
  createdAt!: Timestamp;

  @TimeColumn("When the contact last changed, excluding tag changes.")
  updatedAt!: Timestamp;

  /**
   * When the contact was last active; null once erased. Only the retention job updates it, so that activity
   * need not write this row.
   */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  touchedAt!: Timestamp | null;

  @NullableTime("When the contact was erased. Only its ID and timestamps are retained.")
  erasedAt!: Timestamp | null;
}

export const ContactConnection = ConnectionOf(Contact, "contact", isUuid);
export type ContactConnection = InstanceType<typeof ContactConnection>;
