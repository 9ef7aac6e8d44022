import { IsOptional } from "class-validator";
import { Field, InputType } from "type-graphql";
import { IDEMPOTENCY_KEY_MAX } from "../idempotency/idempotency";
import { IsText } from "./text";

/** What the inputs of creates have in common. */
@InputType()
export abstract class IdempotentInput {
  @Field(() => String, {
    nullable: true,
    description: "Makes a retry safe: the same key and input within 24 hours give the first answer again.",
  })
  @IsOptional()
  @IsText(IDEMPOTENCY_KEY_MAX)
  idempotencyKey!: string | null | undefined;
}
