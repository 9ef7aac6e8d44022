import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import { type Timestamp, timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { NullableTime, TimeColumn } from "../../schema/columns";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { EVENT_TYPES, EventType } from "../events/event-types";
import { DESCRIPTION_MAX_LENGTH, URL_MAX_LENGTH } from "./webhook.limits";

export const WebhookEndpointState = enumOf("WebhookEndpointState", "State of a webhook endpoint.", {
  active: "The endpoint receives events.",
  disabled: "Nothing is sent to the endpoint until it is enabled.",
});
export type WebhookEndpointState = keyof typeof WebhookEndpointState;

export const WebhookDisabledReason = enumOf(
  "WebhookDisabledReason",
  "Reason why a webhook endpoint was disabled.",
  {
    requested: "A member or an operator disabled the endpoint.",
    gone: "The endpoint responded with status 410.",
    failing: "Every attempt failed for five days.",
    restored: "The database was restored from a backup.",
    secret_lost: "The endpoint's signing secret was lost with the instance key.",
  },
);
export type WebhookDisabledReason = keyof typeof WebhookDisabledReason;

@ObjectType({ description: "A URL that receives events by POST." })
@Entity()
@Index(["organizationId"])
export class WebhookEndpoint {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  organizationId!: string;

  @Nullable(() => ID, "ID of the agent whose events are delivered, or null for all agents.")
  @Uuid
  @Column({ ...UUID_COLUMN, nullable: true })
  agentId!: string | null;

  @Field(() => String, { description: "URL that receives events by POST." })
  @MaxCharacters(URL_MAX_LENGTH)
  @Column({ type: "text" })
  url!: string;

  @Nullable(() => String, "Purpose of the endpoint.")
  @Column({ type: "varchar", length: DESCRIPTION_MAX_LENGTH, nullable: true })
  description!: string | null;

  @Nullable(() => [EventType], "Event types that are delivered, or null for all types.")
  @AtMost(() => EVENT_TYPES.size)
  @Column({ type: "simple-json", nullable: true })
  types!: EventType[] | null;

  @Field(() => WebhookEndpointState, { description: "Current state." })
  @Column({ type: "varchar", length: 16 })
  state!: WebhookEndpointState;

  @Nullable(() => WebhookDisabledReason, "Reason why the endpoint was disabled, or null while it is active.")
  @Column({ type: "varchar", length: 16, nullable: true })
  disabledReason!: WebhookDisabledReason | null;

  @NullableTime("Start of the current series of failed attempts, or null if the last attempt succeeded.")
  failingSince!: Timestamp | null;

  @Field(() => Int, { description: "Number of signing secrets that the endpoint has had." })
  @Column({ type: "integer" })
  secretGeneration!: number;

  /** When the previous signing secret expires. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  previousUntil!: Timestamp | null;

  @Nullable(
    () => GraphQLISODateTime,
    "When events stop being signed with the previous secret, or null if only the current secret is used.",
  )
  get previousSecretUntil(): Timestamp | null {
    return this.previousUntil !== null && this.previousUntil > timestamp() ? this.previousUntil : null;
  }

  @TimeColumn("When the endpoint was created.")
  createdAt!: Timestamp;

  @TimeColumn("When the endpoint's settings or state last changed.")
  updatedAt!: Timestamp;

  /** When the endpoint was deleted; housekeeping deletes its deliveries and then this row. */
  @Column({ ...TIMESTAMP_COLUMN, nullable: true })
  deletedAt!: Timestamp | null;
}
