import { Field, GraphQLISODateTime, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { MaxCharacters } from "../../schema/list-size";
import { type Message, POLICY_PATH_MAX_LENGTH, TOPIC_MAX_LENGTH } from "./message.entity";
import { type HeldReason, MessageStatus, type ScheduledReason } from "./message.enums";

type GateName = "review" | ScheduledReason | HeldReason;

const MessageGateName = enumOf<GateName>(
  "MessageGateName",
  "Kind of condition that currently keeps a message from being sent.",
  {
    review: "A person must approve the message first.",
    delay: "The sender requested a later time.",
    window: "The agent's policy does not allow messages to the contact at this time.",
    cap: "The contact has received as many messages as the agent's policy allows within a period.",
    behind: "An earlier message in the conversation must be sent first.",
    rate: "The line has reached its per-minute message limit.",
    line_paused: "The line is paused or archived.",
    no_route: "The agent has no default line.",
    organization_deactivated: "The organization is deactivated.",
    retry: "An attempt to send the message failed.",
    imported: "The message was queued by a gateway version that could not send messages.",
  },
);

@ObjectType({
  description: "A condition that currently keeps a message from being sent.",
})
export class MessageGate {
  @Field(() => MessageGateName, { description: "Name of the condition." })
  name!: GateName;

  @Nullable(
    () => GraphQLISODateTime,
    "When the condition will be rechecked, or null if it does not depend on time.",
  )
  until!: Timestamp | null;

  @Nullable(
    () => String,
    "Path of the configuration setting that imposes the condition, such as `policy.windows[0]`. Null if the condition does not come from a setting.",
  )
  @MaxCharacters(POLICY_PATH_MAX_LENGTH)
  path!: string | null;

  @Nullable(() => String, "Topic of the message, or null if it has none.")
  @MaxCharacters(TOPIC_MAX_LENGTH)
  topic!: string | null;
}

/** Returns the gates that currently keep a message from being sent. */
export function gatesOf(message: Message): MessageGate[] {
  const { status, scheduledReason, sendAt, scheduledBy, heldReason, notBefore, topic } = message;
  if (status === MessageStatus.proposed) return [reviewGate(scheduledBy, topic)];
  // Some columns of a newly inserted message are undefined instead of null.
  if (scheduledReason != null) return [{ name: scheduledReason, until: sendAt, path: scheduledBy, topic }];
  return heldReason == null ? [] : [{ name: heldReason, until: notBefore, path: null, topic }];
}

/** The reason why a message requires a person's approval: its rule or the configuration's policy. */
export type ReviewDemand = "rule" | "policy";

/** Returns the path of the setting that requires a review; null for a rule, because rules have no fixed path. */
export const pathOfReview = (review: ReviewDemand): string | null =>
  review === "policy" ? "policy.review" : null;

/** Returns the gate that holds back a message until a person approves it. */
export const reviewGate = (path: string | null, topic: string | null): MessageGate => ({
  name: "review",
  until: null,
  path,
  topic,
});
