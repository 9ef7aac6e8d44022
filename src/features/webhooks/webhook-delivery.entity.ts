import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { isUuid, Uuid } from "../../common/uuid";
import { UUID_COLUMN } from "../../database/columns";
import { ConnectionOf } from "../../pagination/connection";
import { IdColumn, NullableTime, TimeColumn } from "../../schema/columns";
import { GraphQLJsonObject } from "../../schema/json-object";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { SUBJECT_MAX_LENGTH, TYPE_MAX_LENGTH } from "../events/event.limits";
import { EventType } from "../events/event-types";
import { ERROR_MAX_LENGTH, MAX_KEPT_ATTEMPTS } from "./webhook.limits";

export const WebhookDeliveryState = enumOf("WebhookDeliveryState", "State of a webhook delivery.", {
  pending: "Waiting to be sent or resent.",
  delivered: "The endpoint responded with a 2xx status.",
  failed: "Failed permanently.",
  canceled: "Canceled because the database was restored from a backup while the delivery was pending.",
});
export type WebhookDeliveryState = keyof typeof WebhookDeliveryState;

/** Max length of an attempt's headers as JSON: two signatures and five short headers. */
const HEADERS_MAX_LENGTH = 500;

@ObjectType({ description: "An attempt to deliver an event to a webhook endpoint." })
export class WebhookAttempt {
  @Field(() => GraphQLISODateTime, { description: "When the attempt ended." })
  endedAt!: Timestamp;

  @Nullable(() => Int, "HTTP status of the response, or null if there was none.")
  status!: number | null;

  @Nullable(
    () => String,
    "Human-readable error message, with the start of the response. Null if the attempt succeeded or the contact was erased.",
  )
  @MaxCharacters(ERROR_MAX_LENGTH)
  error!: string | null;

  @Nullable(() => Int, "Duration of the attempt (ms).")
  durationMs!: number | null;

  @Nullable(() => GraphQLJsonObject, "Request headers by name, or null if no request was sent.")
  @MaxCharacters(HEADERS_MAX_LENGTH)
  headers!: Readonly<Record<string, string>> | null;
}

@ObjectType({ description: "The delivery of an event to a webhook endpoint." })
@Entity()
@Index(["endpointId", "eventId"], { unique: true })
@Index(["endpointId", "id"])
@Index(["endpointId", "state", "id"])
@Index(["laneId", "state", "position"])
@Index(["createdAt"])
export class WebhookDelivery {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @IdColumn("ID of the endpoint.")
  endpointId!: string;

  @IdColumn("ID of the agent that the event is about.")
  agentId!: string;

  @Field(() => String, { description: "Position of the event, as a decimal string." })
  @MaxCharacters(20)
  @Column({ type: "bigint", transformer: { from: String, to: (position: string) => position } })
  position!: string;

  @IdColumn("ID of the event, sent as `webhook-id` with every attempt.")
  eventId!: string;

  @Field(() => EventType, { description: "Type of the event." })
  @Column({ type: "varchar", length: TYPE_MAX_LENGTH })
  type!: EventType;

  @Field(() => String, {
    description: "Subject of the event. Events with the same subject are delivered in order.",
  })
  @MaxCharacters(SUBJECT_MAX_LENGTH)
  @Column({ type: "varchar", length: SUBJECT_MAX_LENGTH })
  subject!: string;

  /** ID of the lane for the delivery's endpoint and subject. */
  @Column(UUID_COLUMN)
  laneId!: string;

  @Field(() => WebhookDeliveryState, { description: "Current state." })
  @Column({ type: "varchar", length: 16 })
  state!: WebhookDeliveryState;

  @Field(() => Int, { description: "Number of finished attempts." })
  @Column({ type: "integer" })
  attempts!: number;

  @NullableTime("When the next attempt is due, or null if no retry is scheduled.")
  notBefore!: Timestamp | null;

  @Nullable(() => Int, "HTTP status of the last response, or null if the last attempt got no response.")
  @Column({ type: "integer", nullable: true })
  lastStatus!: number | null;

  @Nullable(() => String, "Human-readable error message from the last attempt.")
  @MaxCharacters(ERROR_MAX_LENGTH)
  @Column({ type: "text", nullable: true })
  lastError!: string | null;

  @Nullable(() => Int, "Duration of the last attempt (ms).")
  @Column({ type: "integer", nullable: true })
  lastDurationMs!: number | null;

  /** The last attempts, oldest first; null if there were none or the contact was erased. */
  @Column({ type: "simple-json", nullable: true })
  attemptLog!: WebhookAttempt[] | null;

  @Field(() => [WebhookAttempt], {
    description: `The last ${MAX_KEPT_ATTEMPTS} attempts, oldest first, including attempts before a redelivery.`,
  })
  @AtMost(MAX_KEPT_ATTEMPTS)
  get lastAttempts(): WebhookAttempt[] {
    return this.attemptLog ?? [];
  }

  @TimeColumn("When the delivery was created.")
  createdAt!: Timestamp;

  @NullableTime("When the event was delivered, or null if it has not been delivered.")
  deliveredAt!: Timestamp | null;
}

export const WebhookDeliveryConnection = ConnectionOf(WebhookDelivery, "webhook-delivery", isUuid);
export type WebhookDeliveryConnection = InstanceType<typeof WebhookDeliveryConnection>;
