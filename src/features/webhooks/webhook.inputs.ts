import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from "type-graphql";
import { Nullable, Omittable, Optional } from "../../common/nullable";
import { AttemptOutcome } from "../../delivery/driver";
import { PageArgs } from "../../pagination/connection";
import { IdempotentInput } from "../../schema/idempotent.input";
import { MaxCharacters } from "../../schema/list-size";
import { InputById } from "../../schema/mutation-input";
import { OneOf } from "../../schema/one-of";
import { HoldsNoToken, IsText } from "../../schema/text";
import { AreEventTypes, IsEventType } from "../events/event.inputs";
import { EventType } from "../events/event-types";
import { DESCRIPTION_MAX_LENGTH, ERROR_MAX_LENGTH, URL_MAX_LENGTH } from "./webhook.limits";
import { WebhookDeliveryState } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

const ENDPOINT_ID = { description: "ID of the webhook endpoint." };
const URL =
  "URL that receives events by POST: http or https (only https in production), without a user name or fragment, at most 2,048 characters.";
const TYPES = "Event types to deliver, or null for all types, including future ones.";
const DESCRIPTION = "Purpose of the endpoint, at most 200 characters.";

@InputType({ description: "A webhook endpoint to create." })
export class CreateWebhookEndpointInput extends IdempotentInput {
  @Nullable(
    () => ID,
    "ID of the agent whose events are delivered. Null or omitted for all of the organization's agents, including future ones.",
  )
  agentId?: string | null | undefined;

  @Field(() => String, { description: URL })
  @IsText(URL_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  url!: string;

  @Optional(() => [EventType], TYPES)
  @AreEventTypes()
  types?: EventType[] | null | undefined;

  @Optional(() => String, DESCRIPTION)
  @IsText(DESCRIPTION_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  description?: string | null | undefined;
}

const EndpointById = InputById("webhook endpoint");

@InputType({ description: "A webhook endpoint to delete." })
export class DeleteWebhookEndpointInput extends EndpointById {}

@InputType({ description: "A webhook endpoint to re-enable." })
export class EnableWebhookEndpointInput extends EndpointById {}

@InputType({ description: "A webhook endpoint to disable." })
export class DisableWebhookEndpointInput extends EndpointById {}

@InputType({ description: "A webhook endpoint to test." })
export class SendTestEventInput extends EndpointById {}

@InputType({ description: "A request to rotate a webhook endpoint's signing secret." })
export class RotateWebhookSecretInput extends IdempotentInput {
  @Field(() => ID, ENDPOINT_ID)
  id!: string;
}

@InputType({ description: "Changes to a webhook endpoint. Omitted fields are left unchanged." })
export class UpdateWebhookEndpointInput extends EndpointById {
  @Omittable(() => String, URL)
  @IsText(URL_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  url?: string | undefined;

  @Optional(() => [EventType], TYPES)
  @AreEventTypes()
  types?: EventType[] | null | undefined;

  @Optional(() => String, DESCRIPTION)
  @IsText(DESCRIPTION_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  description?: string | null | undefined;
}

@ArgsType()
export class WebhookDeliveriesArgs extends PageArgs {
  @Field(() => ID, ENDPOINT_ID)
  endpointId!: string;

  @Nullable(() => WebhookDeliveryState, "Only deliveries in this state.")
  state?: WebhookDeliveryState | null | undefined;

  @Optional(() => EventType, "Only deliveries of events of this type.")
  @IsEventType()
  type?: EventType | null | undefined;

  @Nullable(() => ID, "Only the delivery of the event with this ID.")
  eventId?: string | null | undefined;
}

@InputType({ description: "Start of a redelivery." })
@OneOf()
export class RedeliveryStart {
  @Nullable(() => GraphQLISODateTime, "Deliver events starting at this time.")
  since?: Date | null | undefined;

  @Nullable(() => String, "Deliver events after this position. Allowed only for endpoints of a single agent.")
  after?: string | null | undefined;
}

@InputType({ description: "Events to redeliver to a webhook endpoint." })
export class RedeliverInput extends EndpointById {
  @Field(() => RedeliveryStart, { description: "The start: a time or a position." })
  from!: RedeliveryStart;
}

@InputType({ description: "A webhook delivery to send again." })
export class ResendWebhookDeliveryInput extends InputById("webhook delivery") {}

@ArgsType()
export class MissedEventsArgs {
  @Field(() => ID, ENDPOINT_ID)
  id!: string;

  @Field(() => RedeliveryStart, { description: "The start: a time or a position." })
  from!: RedeliveryStart;
}

@ObjectType({ description: "Number of events that a webhook endpoint missed." })
export class MissedEvents {
  @Field(() => Int, { description: "Number of missed events." })
  count!: number;

  @Field(() => Boolean, {
    description: "False if the count may be higher, because only the first 10,000 events were examined.",
  })
  isExact!: boolean;
}

@ObjectType({ description: "A webhook endpoint and its new signing secret." })
export class WebhookEndpointWithSecret {
  @Field(() => WebhookEndpoint, { description: "The endpoint." })
  endpoint!: WebhookEndpoint;

  @Nullable(
    () => String,
    "The signing secret, `whsec_…`, shown only in this response. Null for a repeated request with the same idempotency key.",
  )
  signingSecret!: string | null;
}

@ObjectType({ description: "Outcome of a test event." })
export class WebhookTest {
  @Field(() => AttemptOutcome, { description: "Outcome of the test." })
  outcome!: AttemptOutcome;

  @Nullable(() => Int, "HTTP status of the response, or null if there was none.")
  status!: number | null;

  @Nullable(
    () => String,
    "Machine-readable error code, such as `timeout`, `dns` or, for an HTTP status, `http_503`. Null if there was no error.",
  )
  code!: string | null;

  @Field(() => String, { description: "Human-readable description of the result." })
  @MaxCharacters(ERROR_MAX_LENGTH)
  detail!: string;

  @Field(() => Int, { description: "Duration of the attempt (ms)." })
  durationMs!: number;
}
