import { ArgsType, Field, Float, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import { IsBetween } from "../../common/range";
import type { Timestamp } from "../../common/time";
import { AtMost } from "../../schema/list-size";
import { ApiKey, ApiKeyState } from "../api-keys/api-key.entity";

const MAX_ENTRIES = 100;

export const UsagePeriod = enumOf("UsagePeriod", "Period of a usage report.", {
  last_24_hours: "24 buckets of one hour each, ending with the current hour.",
  last_30_days: "30 buckets of one UTC day each, ending with the current day.",
});
export type UsagePeriod = keyof typeof UsagePeriod;

export const UsageOutcome = enumOf("UsageOutcome", "Outcome of a request with an API key.", {
  accepted: "The key was accepted.",
  refused: "The key was rejected.",
});
export type UsageOutcome = keyof typeof UsageOutcome;

export const KeyRefusal = enumOf("KeyRefusal", "Reason why an API key was rejected.", {
  inactive: "The key was revoked or had expired, or its organization was deactivated.",
  address: "The key was used from an address outside its allowed networks.",
});
export type KeyRefusal = keyof typeof KeyRefusal;

@ArgsType()
export class PeriodArgs {
  @Field(() => UsagePeriod, {
    defaultValue: UsagePeriod.last_24_hours,
    description: "The period to report.",
  })
  period!: UsagePeriod;
}

@ArgsType()
export class KeyUsageArgs extends PeriodArgs {
  @Field(() => Int, { defaultValue: MAX_ENTRIES, description: "Max keys, 1 to 100." })
  @IsBetween(1, MAX_ENTRIES)
  first!: number;

  @Nullable(() => ID, "Only the key with this ID.")
  keyId!: string | null | undefined;

  @Nullable(
    () => UsageOutcome,
    "Only keys that had requests with this outcome, ordered by the number of such requests.",
  )
  outcome!: UsageOutcome | null | undefined;
}

@ArgsType()
export class DeprecatedUseArgs {
  @Field(() => Int, { defaultValue: MAX_ENTRIES, description: "Max entries, 1 to 100." })
  @IsBetween(1, MAX_ENTRIES)
  first!: number;

  @Nullable(() => ID, "Only uses by the key with this ID.")
  keyId!: string | null | undefined;

  @Nullable(() => ApiKeyState, "Only uses by keys that are currently in this state.")
  state!: ApiKeyState | null | undefined;
}

@ArgsType()
export class OperationUseArgs {
  @Field(() => ID, { description: "ID of the key." })
  keyId!: string;

  @Field(() => Int, { defaultValue: MAX_ENTRIES, description: "Max entries, 1 to 100." })
  @IsBetween(1, MAX_ENTRIES)
  first!: number;
}

@ObjectType({ description: "Usage in one hour or day." })
export class UsageBucket {
  @Field(() => GraphQLISODateTime, { description: "Start of the bucket." })
  start!: Timestamp;

  @Field(() => Float, { description: "Number of accepted requests." })
  accepted!: number;

  @Field(() => Float, {
    description:
      "Number of requests rejected because the key was revoked or expired, its organization was deactivated, or the key was used from an address outside its allowed networks.",
  })
  refused!: number;
}

@ObjectType("UsageTotals", { description: "Total usage of an organization's keys in a period." })
export class UsageTotals {
  @Field(() => Float, { description: "Number of requests accepted in the period." })
  accepted!: number;

  @Field(() => Float, {
    description:
      "Number of requests rejected in the period because the key was revoked or expired, its organization was deactivated, or the key was used from an address outside its allowed networks.",
  })
  refused!: number;

  @AtMost(30)
  @Field(() => [UsageBucket], {
    description: "All buckets in the period, oldest first, including empty ones.",
  })
  buckets!: UsageBucket[];
}

@ObjectType("KeyUsage", { description: "A key's usage in a period." })
export class KeyUsageReport extends UsageTotals {
  @Field(() => ApiKey, { description: "The key." })
  apiKey!: ApiKey;

  @Nullable(
    () => KeyRefusal,
    "Reason for the key's last rejection, or null if the key was not rejected in the period.",
  )
  lastRefusal!: KeyRefusal | null;
}

@ObjectType("DeprecatedUse", {
  description: "One key's uses of a deprecated part of the APIs in the last 30 days.",
})
export class DeprecatedUseOfKey {
  @Field(() => ApiKey, { description: "The key." })
  apiKey!: ApiKey;

  @Field(() => String, {
    description:
      "Name of the part, such as `Query.pet` in the GraphQL schema, or `GET /v1/pets/{petId}` for a REST route and its MCP tool.",
  })
  name!: string;

  @Field(() => Float, { description: "Number of uses." })
  uses!: number;

  @Field(() => GraphQLISODateTime, { description: "Time of the last use." })
  lastUsedAt!: Timestamp;

  @Field(() => GraphQLISODateTime, { description: "Earliest time when the part may be removed." })
  removalAt!: Timestamp;
}

@ObjectType({ description: "Uses of deprecated parts of the APIs in the last 30 days." })
export class DeprecatedUseReport {
  @Field(() => [DeprecatedUseOfKey], {
    description: "Uses per key and part, most recent first. Limited by `first`.",
  })
  nodes!: DeprecatedUseOfKey[];

  @Field(() => Int, { description: "Total number of entries, one per key and part." })
  totalCount!: number;

  @Field(() => Int, { description: "Total number of keys that used a deprecated part of the APIs." })
  keyCount!: number;
}

@ObjectType("OperationUse", {
  description:
    "A key's requests in the last 30 days for the same operation, from the same address and with the same outcome. For each day and key, only about the first 50 combinations are counted separately.",
})
export class OperationUseOfKey {
  @Nullable(
    () => String,
    "A REST route such as `GET /v1/pets/{petId}`, a GraphQL operation's type and root fields such as `query pets, whoami`, or an MCP tool such as `tool listPets`. Null for requests that are not counted separately.",
  )
  operation!: string | null;

  @Nullable(() => String, "IP address of the client, or null if it is unknown or not counted separately.")
  ip!: string | null;

  @Nullable(
    () => String,
    "`ok`, the code of the first error in the response, or `aborted` if the client disconnected before the response was sent. Null for requests that are not counted separately.",
  )
  outcome!: string | null;

  @Field(() => Float, { description: "Number of requests." })
  uses!: number;

  @Field(() => GraphQLISODateTime, { description: "Time of the last request." })
  lastUsedAt!: Timestamp;
}
