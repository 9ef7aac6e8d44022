import { Field, GraphQLISODateTime, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { JsonSchema } from "../../common/json-schema";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { IdColumn } from "../../schema/columns";
import { GraphQLJsonObject } from "../../schema/json-object";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { EVENT_DATA_MAX_BYTES, SUBJECT_MAX_LENGTH, TYPE_MAX_LENGTH } from "./event.limits";
import { EventType } from "./event-types";

/** SQL condition for events about contacts themselves, in a form that lets both databases use the index. */
export const OF_CONTACT = "type LIKE 'contact.%'";

@ObjectType({ description: "Something that happened to an agent. Other systems can subscribe to events." })
@Entity()
@Index("event_of_contact", ["subject", "position"], { where: OF_CONTACT })
@Index(["timestamp"])
export class Event {
  @IdColumn("Unique identifier (UUID).")
  id!: string;

  @Field(() => ID, { description: "ID of the agent." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  agentId!: string;

  @Field(() => String, {
    description:
      "Position of the event among the agent's events, starting at 1 without gaps, as a decimal string.",
  })
  @MaxCharacters(20)
  @PrimaryColumn({ type: "bigint", transformer: { from: String, to: (position: string) => position } })
  position!: string;

  @Field(() => EventType, { description: "Type of the event." })
  @JsonSchema({ maxLength: TYPE_MAX_LENGTH })
  @Column({ type: "varchar", length: TYPE_MAX_LENGTH })
  type!: EventType;

  @Field(() => String, {
    description:
      "Subject of the event, such as `conversation:<id>`. Events with the same subject are delivered in order.",
  })
  @MaxCharacters(SUBJECT_MAX_LENGTH)
  @Column({ type: "varchar", length: SUBJECT_MAX_LENGTH })
  subject!: string;

  @ThirdPartyText()
  @Field(() => GraphQLJsonObject, {
    description:
      "Event data. After a contact is erased, events about the contact contain only the contact's ID.",
  })
  @MaxCharacters(EVENT_DATA_MAX_BYTES)
  @Column({ type: "simple-json" })
  data!: Record<string, unknown>;

  @Field(() => GraphQLISODateTime, { description: "When the event happened." })
  @Column({ ...TIMESTAMP_COLUMN, name: "created_at" })
  timestamp!: Timestamp;
}
