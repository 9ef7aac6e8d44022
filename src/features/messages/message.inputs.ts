import { ArgsType, Field, InputType } from "type-graphql";
import { PageArgs } from "../../pagination/connection";
import { IdempotentInput } from "../../schema/idempotent.input";
import { IsText } from "../../schema/text";
import { MESSAGE_TEXT_MAX, MessageStatus } from "./message.entity";

@InputType({ description: "A message to hand to the key's agent." })
export class NewMessage extends IdempotentInput {
  @Field(() => String, { description: "The text, 1 to 10,000 characters." })
  @IsText(MESSAGE_TEXT_MAX)
  message!: string;
}

@ArgsType()
export class MessagesArgs extends PageArgs {
  @Field(() => MessageStatus, { nullable: true, description: "Only messages that have come this far." })
  status!: MessageStatus | null | undefined;
}
