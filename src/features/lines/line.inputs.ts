import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Checked } from "../../common/checked";
import { Nullable, Omittable, Optional } from "../../common/nullable";
import { IsBetween } from "../../common/range";
import { IsSlug } from "../../common/slug";
import { ValidateNested } from "../../common/validators";
import { IdempotentInput } from "../../schema/idempotent.input";
import { InputById } from "../../schema/mutation-input";
import { HoldsNoToken, IsText } from "../../schema/text";
import { Line, WhenUncertain } from "./line.entity";
import {
  MAX_EXPIRE_AFTER_SECONDS,
  MAX_OPT_OUT_WORDS,
  MAX_RATE_PER_MINUTE,
  MIN_EXPIRE_AFTER_SECONDS,
  OPT_OUT_REPLY_MAX_LENGTH,
  OPT_OUT_WORD_MAX_LENGTH,
  PAUSED_REASON_MAX_LENGTH,
} from "./line.limits";
import { LineEmailChanges, LineWebhookChanges, NewLineSettings } from "./line-settings.inputs";

const OPT_OUT_WORDS =
  "Words that opt a contact out if sent as the whole message, such as `ARRET` or `abmelden`, in addition to STOP and the other standard words: at most 20, each of 1 to 40 characters. Case, accents and surrounding punctuation are ignored.";

const MUST_BE_WORDS = `must be at most ${MAX_OPT_OUT_WORDS} words or phrases of 1 to ${OPT_OUT_WORD_MAX_LENGTH} characters, each with a letter or digit and no control characters`;

const isWord = (value: unknown): boolean =>
  typeof value === "string" &&
  value.length <= OPT_OUT_WORD_MAX_LENGTH &&
  value.isWellFormed() &&
  /[\p{L}\p{N}]/u.test(value) &&
  !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value);

const AreOptOutWords = (): PropertyDecorator =>
  Checked(
    "areOptOutWords",
    (value) =>
      Array.isArray(value) && value.length <= MAX_OPT_OUT_WORDS && value.every(isWord)
        ? undefined
        : MUST_BE_WORDS,
    { minLength: 1, maxLength: OPT_OUT_WORD_MAX_LENGTH, maxItems: MAX_OPT_OUT_WORDS },
  );

@InputType({ description: "A line to create." })
export class CreateLineInput extends IdempotentInput {
  @Field(() => ID, { description: "ID of the agent that sends messages from the line." })
  agentId!: string;

  @Field(() => String, {
    description:
      "Short name, unique among the agent's lines: 1 to 63 characters (a-z, 0-9 and hyphens), without leading, trailing or consecutive hyphens.",
  })
  @IsSlug()
  name!: string;

  @Optional(
    () => NewLineSettings,
    "Delivery settings, which determine the line's kind. If null or omitted, the line is `local` and keeps its messages on this server.",
  )
  @ValidateNested()
  settings?: NewLineSettings | null | undefined;

  @Optional(
    () => Int,
    "Max messages that the line sends per minute, 1 to 10,000. Unlimited if null or omitted.",
  )
  @IsBetween(1, MAX_RATE_PER_MINUTE)
  ratePerMinute?: number | null | undefined;

  @Optional(
    () => Int,
    "Max time a message may wait on the line before it expires, 60 to 2,592,000 seconds. Defaults to three days.",
  )
  @IsBetween(MIN_EXPIRE_AFTER_SECONDS, MAX_EXPIRE_AFTER_SECONDS)
  expireAfterSeconds?: number | null | undefined;

  @Nullable(() => WhenUncertain, "How to handle messages whose send result is unknown. Defaults to `retry`.")
  whenUncertain?: WhenUncertain | null | undefined;

  @Optional(
    () => String,
    "Confirmation sent to a contact who opts out, at most 1,000 characters. If null or omitted, none is sent.",
  )
  @IsText(OPT_OUT_REPLY_MAX_LENGTH)
  @HoldsNoToken()
  optOutReply?: string | null | undefined;

  @Optional(() => [String], `${OPT_OUT_WORDS} Defaults to none.`)
  @AreOptOutWords()
  optOutWords?: string[] | null | undefined;
}

export const LineById = InputById("line");

@InputType({ description: "Changes to a line. Omitted fields keep their values." })
export class UpdateLineInput extends LineById {
  @Omittable(() => String, "The new name, subject to the same rules as `CreateLineInput.name`.")
  @IsSlug()
  name?: string | undefined;

  @Optional(() => Int, "Max messages that the line sends per minute, 1 to 10,000. Null removes the limit.")
  @IsBetween(1, MAX_RATE_PER_MINUTE)
  ratePerMinute?: number | null | undefined;

  @Optional(
    () => Int,
    "Max time a message may wait on the line before it expires, 60 to 2,592,000 seconds. Null resets it to three days.",
  )
  @IsBetween(MIN_EXPIRE_AFTER_SECONDS, MAX_EXPIRE_AFTER_SECONDS)
  expireAfterSeconds?: number | null | undefined;

  @Nullable(
    () => WhenUncertain,
    "How to handle messages whose send result is unknown. Null resets it to `retry`.",
  )
  whenUncertain?: WhenUncertain | null | undefined;

  @Optional(
    () => String,
    "Confirmation sent to a contact who opts out, at most 1,000 characters. Null disables the confirmation.",
  )
  @IsText(OPT_OUT_REPLY_MAX_LENGTH)
  @HoldsNoToken()
  optOutReply?: string | null | undefined;

  @Optional(() => [String], `${OPT_OUT_WORDS} Replaces the current words. Null removes them.`)
  @AreOptOutWords()
  optOutWords?: string[] | null | undefined;

  @Optional(() => LineWebhookChanges, "Changes to the delivery settings, allowed only for `webhook` lines.")
  @ValidateNested()
  webhook?: LineWebhookChanges | null | undefined;

  @Optional(() => LineEmailChanges, "Changes to the delivery settings, allowed only for `email` lines.")
  @ValidateNested()
  email?: LineEmailChanges | null | undefined;

  @Nullable(
    () => Int,
    "The version that the changes are based on. If the line's current version differs, the request is rejected with `version_conflict`.",
  )
  expectedVersion?: number | null | undefined;
}

@InputType({ description: "A request to rotate a line's signing secret." })
export class RotateLineSecretInput extends IdempotentInput {
  @Field(() => ID, { description: "ID of the line." })
  id!: string;
}

@InputType({ description: "A line to put back into use." })
export class ResumeLineInput extends LineById {}

@InputType({ description: "A line to take out of use." })
export class ArchiveLineInput extends LineById {}

@InputType({ description: "A line to make its agent's default line." })
export class SetDefaultLineInput extends LineById {}

@InputType({ description: "A line to pause." })
export class PauseLineInput extends LineById {
  @Optional(() => String, "Reason for the pause, at most 200 characters.")
  @IsText(PAUSED_REASON_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  reason?: string | null | undefined;
}

@ObjectType({ description: "A line and its new signing secret." })
export class LineWithSecret {
  @Field(() => Line, { description: "The line." })
  line!: Line;

  @Nullable(
    () => String,
    "The signing secret of a webhook line, `whsec_…`, shown only in this response. Null for a repeated request with the same idempotency key, and for other kinds of lines.",
  )
  signingSecret!: string | null;
}
