import { InputType } from "type-graphql";
import { Optional } from "../common/nullable";
import { IDEMPOTENCY_KEY_MAX_LENGTH } from "../idempotency/idempotency";
import { IsText } from "./text";

/** Base class for the inputs of create mutations. */
@InputType()
export abstract class IdempotentInput {
  @Optional(
    () => String,
    "Makes retries safe: for 24 hours, the same key and input return the original result.",
  )
  @IsText(IDEMPOTENCY_KEY_MAX_LENGTH)
  idempotencyKey!: string | null | undefined;
}
