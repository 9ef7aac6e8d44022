import { Field, GraphQLISODateTime, Int, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { Agent } from "../agents/agent.entity";
import { ApiKey } from "../api-keys/api-key.entity";
import { EXPIRING_DAYS } from "../api-keys/api-key.limits";
import { Line } from "../lines/line.entity";
import { WebhookEndpoint } from "../webhooks/webhook-endpoint.entity";

/** How long a leaked key is listed as needing attention (days). */
export const LEAKED_DAYS = 7;

/** Max attention items of each kind. */
export const MAX_OF_KIND = 10;

/** The kinds of attention items, most urgent first. */
export const AttentionKind = enumOf("AttentionKind", "Reason why an item needs a person's attention.", {
  database_restored: "The database was restored from a backup, and the restore has not been confirmed.",
  key_leaked: `The API key was revoked in the last ${LEAKED_DAYS} days because it was reported as leaked.`,
  line_failing: "Every attempt to send a message on the line has failed since `since`.",
  line_paused: "The line is paused, and messages are waiting on it.",
  webhook_failing: "Every attempt to deliver an event to the webhook endpoint has failed since `since`.",
  webhook_disabled: "The webhook endpoint is disabled and receives no events.",
  reply_needed: "Contacts are waiting for a human to reply.",
  review_needed: "Messages proposed by agents are waiting for approval.",
  decision_failed: "Some of the agent's decisions in the last 24 hours failed or have failed effects.",
  key_expiring: `API keys expire within ${EXPIRING_DAYS} days.`,
});
export type AttentionKind = keyof typeof AttentionKind;

@ObjectType({ description: "Something that needs a person's attention." })
export class AttentionItem {
  @Field(() => AttentionKind, { description: "Reason why the item needs attention." })
  kind!: AttentionKind;

  @Field(() => Int, {
    description:
      "Number of conversations, messages, decisions or keys. For a line, the number of queued messages. For a webhook endpoint, the number of pending deliveries.",
  })
  count!: number;

  @Field(() => Boolean, { description: "True if `count` is exact, or false if it is a lower bound." })
  isCountExact!: boolean;

  @Nullable(
    () => GraphQLISODateTime,
    "When the problem or task arose. For several conversations, messages or decisions, the earliest such time. For expiring keys, the earliest expiry.",
  )
  since!: Timestamp | null;

  @Nullable(() => Agent, "The agent that the line or decisions belong to, or null for other kinds of items.")
  agent?: Agent | null | undefined;

  @Nullable(() => Line, "The line, or null for other kinds of items.")
  line?: Line | undefined;

  @Nullable(() => WebhookEndpoint, "The webhook endpoint, or null for other kinds of items.")
  webhookEndpoint?: WebhookEndpoint | undefined;

  @Nullable(
    () => String,
    "Human-readable error message from the last attempt at the webhook endpoint's oldest pending delivery, or null if there is none.",
  )
  lastError?: string | null | undefined;

  @Nullable(() => ApiKey, "The leaked key, or null for other kinds of items.")
  apiKey?: ApiKey | undefined;
}
