import { ArrayNotEmpty, IsIn, IsOptional, MaxLength, ValidateBy } from "class-validator";
import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from "type-graphql";
import { SCOPES, Scope } from "../../auth/permissions";
import { IsBetween } from "../../common/range";
import { LAST_MOMENT_MS } from "../../common/time";
import { IDEMPOTENCY_KEY_MAX } from "../../idempotency/idempotency";
import { PageArgs } from "../../pagination/connection";
import { HoldsNoToken, IsText } from "../../schema/text";
import { ApiKey, ApiKeyState } from "./api-key.entity";

/** Longest name of a key, in code points. */
const KEY_NAME_MAX = 100;
/** Longest text to search for. */
const SEARCH_MAX = 100;
const DAY_SECONDS = 24 * 60 * 60;

const IsInFuture = () =>
  ValidateBy({
    name: "isInFuture",
    validator: {
      validate: (value) => value instanceof Date && value.getTime() > Date.now() && +value <= LAST_MOMENT_MS,
      defaultMessage: () => "must be in the future and before the year 10000",
    },
  });

@InputType({ description: "An API key to mint." })
export class NewApiKey {
  @Field(() => ID, { description: "Id of the agent that the key will resolve to." })
  agentId!: string;

  @Field(() => String, {
    description:
      "Where the key is used, 1 to 100 characters; blanks at the ends are dropped. No two active keys of an agent share a name.",
  })
  @IsText(KEY_NAME_MAX, { trimmed: true, singleLine: true })
  @HoldsNoToken()
  name!: string;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "When the key ends by itself; null for never.",
  })
  @IsOptional()
  @IsInFuture()
  expiresAt!: Date | null | undefined;

  @Field(() => [Scope], {
    nullable: true,
    description:
      "What the key may be used for, at least one scope; null or left out for everything, also what later versions add. It cannot be changed later.",
  })
  @IsOptional()
  @ArrayNotEmpty({ message: "must hold at least one scope; leave it out for all" })
  @IsIn(SCOPES, { each: true, message: `must be of ${SCOPES.join(", ")}` })
  scopes!: Scope[] | null | undefined;

  @Field(() => String, {
    nullable: true,
    description:
      "Makes a retry safe: since a secret is never shown twice, the same key and input within 24 hours revoke what the first call minted and mint its replacement.",
  })
  @IsOptional()
  @IsText(IDEMPOTENCY_KEY_MAX)
  idempotencyKey!: string | null | undefined;
}

@ObjectType({ simpleResolvers: true, description: "A key that was just minted, with its secret." })
export class MintedApiKey {
  @Field(() => ApiKey, { description: "The key." })
  apiKey!: ApiKey;

  @Field(() => String, {
    description: "The whole key, for `Authorization: Bearer …`. It cannot be had again.",
  })
  secret!: string;
}

@ArgsType()
export class ApiKeysArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: "Only keys of this agent." })
  agentId!: string | null | undefined;

  @Field(() => ApiKeyState, { nullable: true, description: "Only keys in this state." })
  state!: ApiKeyState | null | undefined;

  @Field(() => String, {
    nullable: true,
    description: "Only keys with this in their name or hint, in any case; at most 100 characters.",
  })
  @IsOptional()
  @MaxLength(SEARCH_MAX, { message: `must have at most ${SEARCH_MAX} characters` })
  search!: string | null | undefined;
}

@ArgsType()
export class RotateApiKeyArgs {
  @Field(() => ID, { description: "Id of the key to replace." })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 0,
    description: "For how long the old key is still accepted, 0 to 86,400 seconds, never beyond its own end.",
  })
  @IsOptional()
  @IsBetween(0, DAY_SECONDS)
  graceSeconds!: number | null;
}

@ArgsType()
export class RenameApiKeyArgs {
  @Field(() => ID, { description: "Id of the key." })
  id!: string;

  @Field(() => String, { description: "Its new name, under the same rules as at minting." })
  @IsText(KEY_NAME_MAX, { trimmed: true, singleLine: true })
  @HoldsNoToken()
  name!: string;
}
