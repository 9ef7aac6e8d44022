import { IsOptional } from "class-validator";
import { ArgsType, Field, InputType } from "type-graphql";
import { PageArgs } from "../graphql/connection";
import { IDEMPOTENCY_KEY_MAX } from "../idempotency/idempotency";
import { IsText } from "../validation/text";
import { MESSAGE_TEXT_MAX, MessageStatus } from "./message.entity";

@InputType({ description: "A message to hand to the key's agent." })
export class NewMessage {
  @Field(() => String, { description: "The text, 1 to 10,000 characters." })
  @IsText(MESSAGE_TEXT_MAX)
  message!: string;

  @Field(() => String, {
    nullable: true,
    description: "Makes a retry safe: the same key and input within 24 hours give the first answer again.",
  })
  @IsOptional()
  @IsText(IDEMPOTENCY_KEY_MAX)
  idempotencyKey!: string | null | undefined;
}

@ArgsType()
export class MessagesArgs extends PageArgs {
  @Field(() => MessageStatus, { nullable: true, description: "Only messages that have come this far." })
  status!: MessageStatus | null | undefined;
}
