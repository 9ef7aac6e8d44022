import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from "type-graphql";
import {
  KeyScope,
  ORGANIZATION_SCOPES,
  type OrganizationScope,
  SCOPES,
  type Scope,
} from "../../auth/permissions";
import { JsonSchema } from "../../common/json-schema";
import { Nullable, Omittable, Optional } from "../../common/nullable";
import { IsBetween } from "../../common/range";
import { DAY_SECONDS, LAST_MOMENT_MS } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { ArrayMaxSize, ArrayNotEmpty, IsIn, MaxLength, Satisfies } from "../../common/validators";
import { IDEMPOTENCY_KEY_MAX_LENGTH } from "../../idempotency/idempotency";
import { ConnectionOf, PageArgs } from "../../pagination/connection";
import { InputById } from "../../schema/mutation-input";
import { type ObjectRule, Rule } from "../../schema/object-rule";
import { IsLine, IsText } from "../../schema/text";
import { networksProblem } from "./allowed-networks";
import { ApiKey, ApiKeyKind, ApiKeyState } from "./api-key.entity";
import {
  KEY_DESCRIPTION_MAX_LENGTH,
  KEY_NAME_MAX_LENGTH,
  KEY_RATE_LIMIT_MAX,
  MAX_NETWORKS,
  MAX_SCOPES,
  SEARCH_MAX_LENGTH,
} from "./api-key.limits";

const IsInFuture = () =>
  Satisfies(
    "isInFuture",
    (value) => value instanceof Date && value.getTime() > Date.now() && +value <= LAST_MOMENT_MS,
    "must be in the future and before the year 10000",
  );

const DESCRIPTION =
  "Purpose of the key, 1 to 500 characters. Leading and trailing whitespace is trimmed. Null if there is none.";
const RATE_LIMIT =
  "Max requests per minute for this key on each server, across all of its workers (1 to 100,000,000). Null to apply the server's limit.";
const NETWORKS =
  "Networks that may use the key, in CIDR notation such as `192.0.2.0/24` or `2001:db8::/32`, at most 40. Null or empty for any network.";

/** Max length of a network in any accepted notation. */
const NETWORK_MAX_LENGTH = 64;

const NETWORKS_ARE_VALID: ObjectRule = {
  fields: ["allowedNetworks"],
  check: ({ allowedNetworks }) => networksProblem("allowedNetworks", allowedNetworks),
};

@InputType()
abstract class MintInput {
  @Optional(
    () => String,
    "Makes retries safe: for 24 hours, a call with the same idempotency key and input revokes the API key minted by the previous call and mints a replacement, because a secret is shown only once.",
  )
  @IsText(IDEMPOTENCY_KEY_MAX_LENGTH)
  idempotencyKey?: string | null | undefined;
}

/** Base class for the inputs of mutations that create a key. */
@InputType()
export abstract class KeyInput extends MintInput {
  @Field(() => String, {
    description:
      "Where the key is used, 1 to 100 characters. Leading and trailing whitespace is trimmed. The name must be unique among the agent's active keys or, for an organization key, among the active organization keys.",
  })
  @IsLine(KEY_NAME_MAX_LENGTH)
  name!: string;

  @Optional(
    () => GraphQLISODateTime,
    "When the key expires. Null means never, or the latest possible time if the server limits key lifetimes or the key is minted with an organization key that expires.",
  )
  @IsInFuture()
  expiresAt?: Date | null | undefined;

  @Optional(() => String, DESCRIPTION)
  @IsLine(KEY_DESCRIPTION_MAX_LENGTH)
  description?: string | null | undefined;

  @Optional(() => Int, RATE_LIMIT)
  @IsBetween(1, KEY_RATE_LIMIT_MAX)
  rateLimitPerMinute?: number | null | undefined;

  @Nullable(() => [String], NETWORKS)
  @JsonSchema({ maxItems: MAX_NETWORKS, maxLength: NETWORK_MAX_LENGTH })
  allowedNetworks?: string[] | null | undefined;
}

@InputType({ description: "An API key to mint for an agent." })
@Rule(NETWORKS_ARE_VALID)
export class CreateApiKeyInput extends KeyInput {
  @Field(() => ID, { description: "ID of the agent that the key resolves to." })
  agentId!: string;

  @Optional(
    () => [KeyScope],
    "The key's scopes, at least one. Null or omitted for all scopes, including any added by later versions. Scopes cannot be changed later. Required when minting with an organization key.",
  )
  @ArrayNotEmpty({ message: "must contain at least one scope, or be omitted for all scopes" })
  @ArrayMaxSize(MAX_SCOPES)
  @IsIn(SCOPES, { each: true, message: () => `must be one of ${SCOPES.join(", ")}` })
  scopes?: Scope[] | null | undefined;
}

@InputType({
  description: "An organization key to mint. It must have allowed networks, or expire within 366 days.",
})
@Rule(NETWORKS_ARE_VALID)
export class CreateOrganizationKeyInput extends KeyInput {
  @Field(() => [KeyScope], {
    description: "The key's scopes, at least one. Scopes cannot be changed later.",
  })
  @ArrayNotEmpty({ message: "must contain at least one scope" })
  @ArrayMaxSize(MAX_SCOPES)
  @IsIn(ORGANIZATION_SCOPES, {
    each: true,
    message: () => `must be one of ${ORGANIZATION_SCOPES.join(", ")}`,
  })
  scopes!: OrganizationScope[];
}

@ObjectType({ description: "A newly minted API key and its secret." })
export class MintedApiKey {
  @Field(() => ApiKey, { description: "The key." })
  apiKey!: ApiKey;

  @Field(() => String, {
    description: "The complete key, for `Authorization: Bearer …`. It is shown only in this response.",
  })
  secret!: string;
}

@ArgsType()
export class ApiKeysArgs extends PageArgs {
  @Nullable(() => ID, "Only keys of this agent.")
  agentId!: string | null | undefined;

  @Nullable(() => ApiKeyKind, "Only keys of this kind.")
  kind!: ApiKeyKind | null | undefined;

  @Nullable(() => ApiKeyState, "Only keys in this state.")
  state!: ApiKeyState | null | undefined;

  @Optional(
    () => String,
    "Only keys whose name or hint contains this text. Case-insensitive, at most 100 characters.",
  )
  @MaxLength(SEARCH_MAX_LENGTH, { message: `must have at most ${SEARCH_MAX_LENGTH} characters` })
  search!: string | null | undefined;

  @Optional(
    () => Int,
    "Only active keys that expire within this many days, 1 to 365, and have not been replaced.",
  )
  @IsBetween(1, 365)
  expiresWithinDays!: number | null | undefined;

  @Nullable(() => ID, "Only the key that was replaced by the key with this ID.")
  replacedById!: string | null | undefined;

  @Nullable(
    () => Boolean,
    "True to return only keys of connected applications, or false to return only other keys.",
  )
  isConnection!: boolean | null | undefined;
}

@InputType({ description: "An API key to replace." })
export class RotateApiKeyInput extends MintInput {
  @Field(() => ID, { description: "ID of the key to replace." })
  id!: string;

  @Field(() => Int, {
    defaultValue: 0,
    description: "How long the old key remains valid, 0 to 86,400 seconds, but not beyond its expiry.",
  })
  @IsBetween(0, DAY_SECONDS)
  graceSeconds!: number;
}

const ApiKeyById = InputById("API key");

@InputType({ description: "An API key to revoke." })
export class RevokeApiKeyInput extends ApiKeyById {
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      "True to retain the key that this key replaced in a rotation, if that key is still accepted. The retained key's original expiry is restored, and the key can be changed and rotated again.",
  })
  keepReplaced!: boolean;
}

@InputType({ description: "Changes to an active API key. Omitted fields are left unchanged." })
@Rule(NETWORKS_ARE_VALID)
export class UpdateApiKeyInput extends ApiKeyById {
  @Omittable(
    () => String,
    "The new name, subject to the same rules as `CreateApiKeyInput.name`. It cannot be null.",
  )
  @IsLine(KEY_NAME_MAX_LENGTH)
  name?: string | undefined;

  @Optional(() => String, DESCRIPTION)
  @IsLine(KEY_DESCRIPTION_MAX_LENGTH)
  description?: string | null | undefined;

  @Optional(() => Int, RATE_LIMIT)
  @IsBetween(1, KEY_RATE_LIMIT_MAX)
  rateLimitPerMinute?: number | null | undefined;

  @Nullable(() => [String], NETWORKS)
  @JsonSchema({ maxItems: MAX_NETWORKS, maxLength: NETWORK_MAX_LENGTH })
  allowedNetworks?: string[] | null | undefined;
}

export const ApiKeyConnection = ConnectionOf(ApiKey, "apiKey", isUuid);
export type ApiKeyConnection = InstanceType<typeof ApiKeyConnection>;
