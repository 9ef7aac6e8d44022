import { ArgsType, Field, ID, InputType } from "type-graphql";
import { isUuid } from "../../common/uuid";
import { ConnectionOf, OrderedPageArgs } from "../../pagination/connection";
import { IdempotentInput } from "../../schema/idempotent.input";
import { InputById } from "../../schema/mutation-input";
import { IsText } from "../../schema/text";
import { Message, MessageStatus } from "./message.entity";
import { MESSAGE_TEXT_MAX_LENGTH } from "./message.limits";

@InputType({ description: "A message to queue for the agent of the API key." })
export class SendMessageInput extends IdempotentInput {
  @Field(() => String, { description: "Text of the message, 1 to 10,000 characters." })
  @IsText(MESSAGE_TEXT_MAX_LENGTH)
  text!: string;
}

@InputType({ description: "A message to cancel." })
export class CancelMessageInput extends InputById("message") {}

@ArgsType()
export class MessagesArgs extends OrderedPageArgs {
  @Field(() => ID, {
    nullable: true,
    description:
      "ID of the agent. Required for members; not allowed with an API key, which belongs to one agent.",
  })
  agentId?: string | null | undefined;

  @Field(() => MessageStatus, { nullable: true, description: "Only messages with this status." })
  status!: MessageStatus | null | undefined;
}

export const MessageConnection = ConnectionOf(Message, "message", isUuid);
export type MessageConnection = InstanceType<typeof MessageConnection>;
