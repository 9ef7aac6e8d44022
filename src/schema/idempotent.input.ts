import { Field, InputType } from "type-graphql";
import { IsOptional } from "../common/validators";
import { IDEMPOTENCY_KEY_MAX_LENGTH } from "../idempotency/idempotency";
import { IsText } from "./text";

/** Base class of the inputs of create mutations. */
@InputType()
export abstract class IdempotentInput {
  @Field(() => String, {
    nullable: true,
    description:
      "Makes retries safe: for 24 hours, repeating the same key and input returns the original result.",
  })
  @IsOptional()
  @IsText(IDEMPOTENCY_KEY_MAX_LENGTH)
  idempotencyKey!: string | null | undefined;
}
