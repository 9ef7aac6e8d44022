import { ArgsType, Field, GraphQLISODateTime, ID, InputType } from "type-graphql";
import { applyDecorators } from "../../common/apply-decorators";
import { Nullable, Optional } from "../../common/nullable";
import { DAY_MS } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { ArrayMaxSize, ValidateBy } from "../../common/validators";
import { GatewayError } from "../../errors";
import { ConnectionOf, OrderedPageArgs } from "../../pagination/connection";
import { IdempotentInput } from "../../schema/idempotent.input";
import { InputById } from "../../schema/mutation-input";
import { IsText } from "../../schema/text";
import { SCOPED_AGENT_IDS } from "../agents/agent.inputs";
import { TERM_MAX_LENGTH } from "../contacts/contact.limits";
import { Message } from "./message.entity";
import { MessageStatus } from "./message.enums";
import { DISCARD_REASON_MAX_LENGTH, MAX_SCHEDULE_DAYS, MESSAGE_TEXT_MAX_LENGTH } from "./message.limits";

/** Declares an input field for the time to queue a message. */
export const SendAt = (): PropertyDecorator =>
  applyDecorators(
    Optional(() => GraphQLISODateTime, `Send time, at most ${MAX_SCHEDULE_DAYS} days ahead.`),
    ValidateBy({
      name: "isSendTime",
      validator: {
        validate: (value) =>
          value instanceof Date && value.getTime() <= Date.now() + MAX_SCHEDULE_DAYS * DAY_MS,
        defaultMessage: () => `must be at most ${MAX_SCHEDULE_DAYS} days ahead`,
      },
    }),
  );

@InputType({ description: "A message to queue for the API key's agent." })
export class SendMessageInput extends IdempotentInput {
  @Field(() => String, { description: "Text of the message, 1 to 10,000 characters." })
  @IsText(MESSAGE_TEXT_MAX_LENGTH)
  text!: string;

  @SendAt()
  sendAt?: Date | null | undefined;
}

@InputType({ description: "A message to cancel." })
export class CancelMessageInput extends InputById("message") {}

@InputType({ description: "A proposed message to approve." })
export class ApproveMessageInput extends InputById("message") {
  @Optional(() => String, "Text to send instead of the proposed text, 1 to 10,000 characters.")
  @IsText(MESSAGE_TEXT_MAX_LENGTH)
  text?: string | null | undefined;
}

@InputType({ description: "A proposed message to discard." })
export class DiscardMessageInput extends InputById("message") {
  @Optional(() => String, "Reason for discarding the message, up to 500 characters.")
  @IsText(DISCARD_REASON_MAX_LENGTH, { singleLine: true })
  reason?: string | null | undefined;
}

@ArgsType()
export class MessagesArgs extends OrderedPageArgs {
  @Field(() => ID, SCOPED_AGENT_IDS)
  agentId?: string | null | undefined;

  @Nullable(() => MessageStatus, "Only messages with this status.")
  status!: MessageStatus | null | undefined;

  @Optional(() => [MessageStatus], "Only messages with one of these statuses.")
  @ArrayMaxSize(Object.keys(MessageStatus).length)
  statuses?: MessageStatus[] | null | undefined;

  @Nullable(
    () => Boolean,
    "True to list only messages held back by anything other than an earlier message in their conversation, false to list all others. See `heldReason`.",
  )
  held?: boolean | null | undefined;

  @Optional(
    () => ID,
    "Only messages that were sent or received on the line with this ID, or are waiting there.",
  )
  lineId?: string | null | undefined;

  @Optional(() => ID, "Only messages to and from the contact with this ID.")
  contactId?: string | null | undefined;

  @Optional(
    () => String,
    "Only messages to and from contacts that match this text in the `contacts` query. API keys need the `contacts:read` scope.",
  )
  @IsText(TERM_MAX_LENGTH)
  search?: string | null | undefined;

  @Optional(() => GraphQLISODateTime, "Only messages accepted at or after this time.")
  since?: Date | null | undefined;
}

/** Returns a cursor position, with the sequence number, because a message may be rescheduled or deleted. */
const positionOf = ({ id, conversationId, sequence }: Message): string =>
  [id, conversationId, sequence].join(".");

/** Accepts bare IDs as well, because cursors from version 1 contain only an ID. */
const isPosition = (text: string): boolean => {
  const [id = "", conversationId = "", sequence = "", ...more] = text.split(".");
  return [id, conversationId || id].every(isUuid) && /^\d{0,9}$/.test(sequence) && more.length === 0;
};

/**
 * Returns the message ID or the sequence number from a cursor's position.
 * @throws GatewayError `invalid_cursor` for a message outside the conversation, or a missing sequence number
 */
export function startIn(
  conversationId: string,
  position: string,
  property: "id" | "sequence",
): string | number {
  const [id = "", parent, sequence] = position.split(".");
  if (parent !== conversationId || (property === "sequence" && !sequence))
    throw new GatewayError("invalid_cursor");
  return property === "id" ? id : Number(sequence);
}

export const MessageConnection = ConnectionOf(Message, "message", isPosition, positionOf);
export type MessageConnection = InstanceType<typeof MessageConnection>;
