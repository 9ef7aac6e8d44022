import { ArgsType, Field, ID, InputType, Int } from "type-graphql";
import { IsBetween } from "../../common/range";
import { IsSlug } from "../../common/slug";
import { IsOptional, ValidateIf } from "../../common/validators";
import { IdempotentInput } from "../../schema/idempotent.input";
import { HoldsNoToken, IsText } from "../../schema/text";
import { LineKind } from "./line.entity";
import {
  MAX_EXPIRE_AFTER_SECONDS,
  MAX_RATE_PER_MINUTE,
  MIN_EXPIRE_AFTER_SECONDS,
  PAUSED_REASON_MAX_LENGTH,
} from "./line.limits";

@InputType({ description: "A line to create." })
export class NewLine extends IdempotentInput {
  @Field(() => ID, { description: "ID of the agent that speaks from the line." })
  agentId!: string;

  @Field(() => String, {
    description:
      "Short name, unique among the lines of the agent: 1 to 63 of a-z, 0-9 and single hyphens between them.",
  })
  @IsSlug()
  name!: string;

  @Field(() => LineKind, { defaultValue: LineKind.local, description: "How the line delivers messages." })
  kind!: LineKind;

  @Field(() => Int, {
    nullable: true,
    description: "Max messages that the line sends per minute, 1 to 10,000; null or omitted for no limit.",
  })
  @IsOptional()
  @IsBetween(1, MAX_RATE_PER_MINUTE)
  ratePerMinute?: number | null | undefined;

  @Field(() => Int, {
    nullable: true,
    description:
      "How long a message may wait on the line before it expires, 60 to 2,592,000 seconds; null or omitted for three days.",
  })
  @IsOptional()
  @IsBetween(MIN_EXPIRE_AFTER_SECONDS, MAX_EXPIRE_AFTER_SECONDS)
  expireAfterSeconds?: number | null | undefined;
}

@InputType({ description: "Changes of a line; omitted fields stay as they are." })
export class LineChanges {
  @Field(() => ID, { description: "ID of the line." })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: "The new name; the rules are those of `NewLine.name`.",
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsSlug()
  name?: string | undefined;

  @Field(() => Int, {
    nullable: true,
    description: "Max messages that the line sends per minute, 1 to 10,000; null for no limit.",
  })
  @IsOptional()
  @IsBetween(1, MAX_RATE_PER_MINUTE)
  ratePerMinute?: number | null | undefined;

  @Field(() => Int, {
    nullable: true,
    description:
      "How long a message may wait on the line before it expires, 60 to 2,592,000 seconds; null for three days.",
  })
  @IsOptional()
  @IsBetween(MIN_EXPIRE_AFTER_SECONDS, MAX_EXPIRE_AFTER_SECONDS)
  expireAfterSeconds?: number | null | undefined;

  @Field(() => Int, {
    nullable: true,
    description: "The version that the changes are based on; any other is refused with `version_conflict`.",
  })
  expectedVersion?: number | null | undefined;
}

@ArgsType()
export class PauseLineArgs {
  @Field(() => ID, { description: "ID of the line." })
  id!: string;

  @Field(() => String, { nullable: true, description: "Why the line is paused, at most 200 characters." })
  @IsOptional()
  @IsText(PAUSED_REASON_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  reason?: string | null | undefined;
}
