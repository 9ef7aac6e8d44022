import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from "type-graphql";
import { IsOptional, ValidateIf } from "../../common/validators";
import { PageArgs } from "../../pagination/connection";
import { AttemptOutcome } from "../../schema/attempt-outcome";
import { IdempotentInput } from "../../schema/idempotent.input";
import { MaxCharacters } from "../../schema/list-size";
import { HoldsNoToken, IsText } from "../../schema/text";
import { AreEventTypes, IsEventType } from "../events/event.inputs";
import type { EventType } from "../events/event-types";
import { DESCRIPTION_MAX_LENGTH, ERROR_MAX_LENGTH, URL_MAX_LENGTH } from "./webhook.limits";
import { WebhookDeliveryState } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

const ENDPOINT_ID = { description: "ID of the webhook endpoint." };
const URL =
  "URL that events are posted to: http or https, only https in production, without a user name or fragment, at most 2,048 characters.";
const TYPES =
  "Types of the events that it gets, such as `message.delivered`; null for all types, future ones too.";
const DESCRIPTION = "Purpose of the endpoint, at most 200 characters.";

@InputType({ description: "A webhook endpoint to create." })
export class NewWebhookEndpoint extends IdempotentInput {
  @Field(() => ID, {
    nullable: true,
    description:
      "ID of the agent whose events it gets; null or omitted for all agents of the organization, including future ones.",
  })
  agentId?: string | null | undefined;

  @Field(() => String, { description: URL })
  @IsText(URL_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  url!: string;

  @Field(() => [String], { nullable: true, description: TYPES })
  @IsOptional()
  @AreEventTypes()
  types?: EventType[] | null | undefined;

  @Field(() => String, { nullable: true, description: DESCRIPTION })
  @IsOptional()
  @IsText(DESCRIPTION_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  description?: string | null | undefined;
}

@InputType({ description: "Changes of a webhook endpoint; omitted fields stay as they are." })
export class WebhookEndpointChanges {
  @Field(() => ID, ENDPOINT_ID)
  id!: string;

  @Field(() => String, { nullable: true, description: URL })
  @ValidateIf((_, value) => value !== undefined)
  @IsText(URL_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  url?: string | undefined;

  @Field(() => [String], { nullable: true, description: TYPES })
  @IsOptional()
  @AreEventTypes()
  types?: EventType[] | null | undefined;

  @Field(() => String, { nullable: true, description: DESCRIPTION })
  @IsOptional()
  @IsText(DESCRIPTION_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  description?: string | null | undefined;
}

@ArgsType()
export class WebhookDeliveriesArgs extends PageArgs {
  @Field(() => ID, ENDPOINT_ID)
  endpointId!: string;

  @Field(() => WebhookDeliveryState, { nullable: true, description: "Only deliveries in this state." })
  state?: WebhookDeliveryState | null | undefined;

  @Field(() => String, { nullable: true, description: "Only deliveries of events of this type." })
  @IsOptional()
  @IsEventType()
  type?: string | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only the delivery of the event with this ID." })
  eventId?: string | null | undefined;
}

@ArgsType()
export class RedeliverArgs {
  @Field(() => ID, ENDPOINT_ID)
  id!: string;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "Deliver events from this time on. Pass either this or `after`.",
  })
  @IsOptional()
  since?: Date | null | undefined;

  @Field(() => String, {
    nullable: true,
    description: "Deliver events after this position; only for an endpoint of one agent.",
  })
  @IsOptional()
  after?: string | null | undefined;
}

@ObjectType({ simpleResolvers: true, description: "A webhook endpoint and its new signing secret." })
export class WebhookEndpointWithSecret {
  @Field(() => WebhookEndpoint, { description: "The endpoint." })
  endpoint!: WebhookEndpoint;

  @Field(() => String, {
    nullable: true,
    description:
      "The signing secret, `whsec_…`. It is shown only in this response: null if the endpoint was created by an earlier request with the same idempotency key.",
  })
  signingSecret!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Outcome of a test event." })
export class WebhookTest {
  @Field(() => AttemptOutcome, { description: "Outcome of the test." })
  outcome!: AttemptOutcome;

  @Field(() => Int, { nullable: true, description: "Status of the answer; null without an answer." })
  status!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Error code for programs, such as `timeout`, `dns` or `http_503`; null without an error.",
  })
  code!: string | null;

  @Field(() => String, { description: "Description of the result, for people." })
  @MaxCharacters(ERROR_MAX_LENGTH)
  detail!: string;

  @Field(() => Int, { description: "How long it took (ms)." })
  durationMs!: number;
}
