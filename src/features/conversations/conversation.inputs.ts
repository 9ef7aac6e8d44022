import { ArgsType, Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable, Optional } from "../../common/nullable";
import { ValidateNested } from "../../common/validators";
import { OrderedPageArgs, PageArgs } from "../../pagination/connection";
import { ForMembers } from "../../schema/for-members";
import { IdempotentInput } from "../../schema/idempotent.input";
import { AtMost } from "../../schema/list-size";
import { InputById } from "../../schema/mutation-input";
import { OneOf } from "../../schema/one-of";
import { IsText } from "../../schema/text";
import { SCOPED_AGENT_ID, SCOPED_AGENT_IDS } from "../agents/agent.inputs";
import { REF_MAX_LENGTH, TERM_MAX_LENGTH } from "../contacts/contact.limits";
import { NewAddress } from "../contacts/put-contact.inputs";
import { Message } from "../messages/message.entity";
import { SendAt } from "../messages/message.inputs";
import { MESSAGE_TEXT_MAX_LENGTH } from "../messages/message.limits";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import { MAX_QUEUED } from "./conversation.limits";

export const PendingMessages = enumOf(
  "PendingMessages",
  "How a move affects the conversation's queued messages.",
  {
    cancel: "The messages are canceled.",
    carry: "The messages are sent on the new line.",
  },
);
export type PendingMessages = keyof typeof PendingMessages;

export const ConversationOrder = enumOf("ConversationOrder", "Sort order of conversations.", {
  oldest_first: "By creation time, oldest first.",
  newest_first: "By creation time, newest first.",
  last_activity_first:
    "By `updatedAt`, latest first. Pagination may skip conversations that change in the meantime.",
  longest_waiting_first: "Only conversations with `waitingSince` set, earliest first.",
});
export type ConversationOrder = keyof typeof ConversationOrder;

const EXPECTED_VERSION = "The change is rejected with `version_conflict` if the current version differs.";
const TEXT = "Text of the message, 1 to 10,000 characters.";

@InputType({ description: "Identifies a contact by exactly one of these fields." })
@OneOf()
export class ContactReference {
  @Optional(() => ID, "ID of the contact.")
  id?: string | null | undefined;

  @Optional(() => String, "Your own ID for the contact.")
  @IsText(REF_MAX_LENGTH)
  ref?: string | null | undefined;

  @Optional(() => NewAddress, "An address of the contact.")
  @ValidateNested()
  address?: NewAddress | null | undefined;
}

@InputType({ description: "Identifies an agent's line by exactly one of these fields." })
@OneOf()
export class LineReference {
  @Nullable(() => ID, "ID of the line.")
  id?: string | null | undefined;

  @Nullable(() => String, "Name of the line.")
  name?: string | null | undefined;
}

@InputType({ description: "A conversation to open." })
export class OpenConversationInput extends IdempotentInput {
  @Field(() => ID, SCOPED_AGENT_ID)
  @ForMembers()
  agentId?: string | null | undefined;

  @Field(() => ContactReference, { description: "The contact to talk to." })
  @ValidateNested()
  contact!: ContactReference;

  @Nullable(() => LineReference, "The line to use. Defaults to the agent's default line.")
  line?: LineReference | null | undefined;

  @Optional(() => String, "Text of the first message.")
  @IsText(MESSAGE_TEXT_MAX_LENGTH)
  text?: string | null | undefined;

  @SendAt()
  sendAt?: Date | null | undefined;
}

@ObjectType({ description: "An open conversation." })
export class OpenedConversation {
  @Field(() => Conversation, { description: "The conversation." })
  conversation!: Conversation;

  @Field(() => Boolean, {
    description: "True if the call opened the conversation, false if it was already open.",
  })
  created!: boolean;

  @Nullable(() => Message, "The message that the call queued.")
  message!: Message | null;
}

@ObjectType({ description: "A conversation after a change." })
export class ConversationChange {
  @Field(() => Conversation, { description: "The conversation." })
  conversation!: Conversation;

  @Field(() => [ID], { description: "IDs of the messages that the change canceled, in sending order." })
  @AtMost(2 * MAX_QUEUED)
  canceled!: string[];

  @Field(() => [ID], {
    description: "IDs of the messages that remain queued, scheduled or proposed, in sending order.",
  })
  @AtMost(2 * MAX_QUEUED)
  carried!: string[];

  @Nullable(() => ID, "ID of the message that was already being sent when the change was made.")
  inFlight!: string | null;
}

@ArgsType()
export class ConversationsArgs extends PageArgs {
  @Field(() => ID, SCOPED_AGENT_IDS)
  agentId?: string | null | undefined;

  @Nullable(() => ConversationState, "Filters by state.")
  state?: ConversationState | null | undefined;

  @Nullable(() => Handler, "Filters by handler.")
  handler?: Handler | null | undefined;

  @Optional(() => ID, "Filters by assignee.")
  assigneeId?: string | null | undefined;

  @Nullable(() => Boolean, "True for assigned conversations only, false for unassigned ones.")
  assigned?: boolean | null | undefined;

  @Nullable(
    () => Boolean,
    "True to list only conversations that need a human reply, false to list all others. See `waitingSince`.",
  )
  needsReply?: boolean | null | undefined;

  @Optional(
    () => String,
    "Only conversations with contacts that match this text in the `contacts` query, or with this text in one of the newest messages. API keys need the `contacts:read` scope, and the `messages:read` scope to search messages.",
  )
  @IsText(TERM_MAX_LENGTH)
  search?: string | null | undefined;

  @Optional(() => ID, "Filters by contact.")
  contactId?: string | null | undefined;

  @Optional(() => LineReference, "Only conversations on this line, or on the lines with this name.")
  line?: LineReference | null | undefined;

  @Field(() => ConversationOrder, {
    description:
      "Sort order. Cursors work with every order, but `longest_waiting_first` accepts only cursors of waiting conversations.",
  })
  order: ConversationOrder = ConversationOrder.oldest_first;
}

@ArgsType()
export class ConversationMessagesArgs extends OrderedPageArgs {
  @Field(() => ID, { description: "ID of the conversation." })
  id!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: "True to return only scheduled and proposed messages.",
  })
  scheduled!: boolean;
}

@InputType({ description: "A message to queue in a conversation." })
export class SendToConversationInput extends IdempotentInput {
  @Field(() => ID, { description: "ID of the conversation." })
  id!: string;

  @Field(() => String, { description: TEXT })
  @IsText(MESSAGE_TEXT_MAX_LENGTH)
  text!: string;

  @SendAt()
  sendAt?: Date | null | undefined;
}

@InputType()
export abstract class ConversationChangeInput extends InputById("conversation") {
  @Optional(() => Int, EXPECTED_VERSION)
  expectedVersion?: number | null | undefined;
}

@InputType({ description: "A conversation to hand off to a human." })
export class HandOffConversationInput extends ConversationChangeInput {}

@InputType({ description: "A conversation to release to the agent." })
export class ReleaseConversationInput extends ConversationChangeInput {}

@InputType({ description: "A conversation to close." })
export class CloseConversationInput extends ConversationChangeInput {}

@InputType({ description: "A conversation to assign to a member." })
export class AssignConversationInput extends InputById("conversation") {
  @Optional(() => ID, "ID of the member to assign. Omit it or set it to null to unassign the conversation.")
  memberId?: string | null | undefined;
}

@InputType({ description: "A conversation that the signed-in member has opened." })
export class MarkConversationOpenedInput extends InputById("conversation") {}

@InputType({ description: "A conversation to move to another line." })
export class MoveConversationInput extends ConversationChangeInput {
  @Field(() => LineReference, { description: "The line to move to." })
  line!: LineReference;

  @Field(() => PendingMessages, {
    defaultValue: PendingMessages.cancel,
    description: "How the move affects the conversation's queued messages.",
  })
  pending!: PendingMessages;
}
