import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from "type-graphql";
import { SCOPES, Scope } from "../../auth/permissions";
import { IsBetween } from "../../common/range";
import { DAY_SECONDS, LAST_MOMENT_MS } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { ArrayNotEmpty, IsIn, IsOptional, MaxLength, ValidateBy } from "../../common/validators";
import { IDEMPOTENCY_KEY_MAX_LENGTH } from "../../idempotency/idempotency";
import { ConnectionOf, PageArgs } from "../../pagination/connection";
import { HoldsNoToken, IsText } from "../../schema/text";
import { ApiKey, ApiKeyState } from "./api-key.entity";
import { KEY_NAME_MAX_LENGTH, SEARCH_MAX_LENGTH } from "./api-key.limits";

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
  @Field(() => ID, { description: "ID of the agent that the key resolves to." })
  agentId!: string;

  @Field(() => String, {
    description:
      "Where the key is used, 1 to 100 characters; leading and trailing blanks are removed. The name is unique among the active keys of an agent.",
  })
  @IsText(KEY_NAME_MAX_LENGTH, { trimmed: true, singleLine: true })
  @HoldsNoToken()
  name!: string;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "When the key expires; null if it never does.",
  })
  @IsOptional()
  @IsInFuture()
  expiresAt?: Date | null | undefined;

  @Field(() => [Scope], {
    nullable: true,
    description:
      "The scopes of the key, at least one; null or omitted for all scopes, including those that later versions add. Scopes cannot be changed later.",
  })
  @IsOptional()
  @ArrayNotEmpty({ message: "must contain at least one scope; omit it for all scopes" })
  @IsIn(SCOPES, { each: true, message: `must be one of ${SCOPES.join(", ")}` })
  scopes?: Scope[] | null | undefined;

  @Field(() => String, {
    nullable: true,
    description:
      "Makes retries safe: within 24 hours, the same idempotency key and input revoke the API key that the first call minted and mint a replacement, because a secret is shown only once.",
  })
  @IsOptional()
  @IsText(IDEMPOTENCY_KEY_MAX_LENGTH)
  idempotencyKey?: string | null | undefined;
}

@ObjectType({ simpleResolvers: true, description: "A newly minted API key and its secret." })
export class MintedApiKey {
  @Field(() => ApiKey, { description: "The key." })
  apiKey!: ApiKey;

  @Field(() => String, {
    description: "The whole key, for `Authorization: Bearer …`. It is shown only in this response.",
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
    description: "Only keys whose name or hint contains this text, case-insensitive; at most 100 characters.",
  })
  @IsOptional()
  @MaxLength(SEARCH_MAX_LENGTH, { message: `must have at most ${SEARCH_MAX_LENGTH} characters` })
  search!: string | null | undefined;
}

@ArgsType()
export class RotateApiKeyArgs {
  @Field(() => ID, { description: "ID of the key to replace." })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 0,
    description: "How long the old key remains accepted, 0 to 86,400 seconds, but not beyond its expiry.",
  })
  @IsOptional()
  @IsBetween(0, DAY_SECONDS)
  graceSeconds!: number | null;
}

@ArgsType()
export class RenameApiKeyArgs {
  @Field(() => ID, { description: "ID of the key." })
  id!: string;

  @Field(() => String, { description: "The new name; the rules are those of `NewApiKey.name`." })
  @IsText(KEY_NAME_MAX_LENGTH, { trimmed: true, singleLine: true })
  @HoldsNoToken()
  name!: string;
}

export const ApiKeyConnection = ConnectionOf(ApiKey, "apiKey", isUuid);
export type ApiKeyConnection = InstanceType<typeof ApiKeyConnection>;
