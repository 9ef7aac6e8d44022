import { Field, Float, GraphQLISODateTime, ObjectType, registerEnumType } from "type-graphql";
import type { Timestamp } from "../../common/time";
import { AtMost } from "../../schema/list-size";
import { ApiKey } from "../api-keys/api-key.entity";

export enum UsagePeriod {
  last_24_hours = "last_24_hours",
  last_30_days = "last_30_days",
}

registerEnumType(UsagePeriod, {
  name: "UsagePeriod",
  description: "Period of a usage report.",
  valuesConfig: {
    last_24_hours: { description: "24 buckets of one hour; the last is the current hour." },
    last_30_days: { description: "30 buckets of one UTC day; the last is the current day." },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "Usage of a key in one hour or day.",
})
export class UsageBucket {
  @Field(() => GraphQLISODateTime, { description: "Start of the bucket." })
  start!: Timestamp;

  @Field(() => Float, { description: "Requests for which the key was accepted." })
  accepted!: number;

  @Field(() => Float, {
    description: "Requests refused because the key was revoked, expired or unresolvable.",
  })
  refused!: number;
}

@ObjectType("KeyUsage", { description: "Usage of a key in a period." })
export class KeyUsageReport {
  @Field(() => ApiKey, { description: "The key." })
  apiKey!: ApiKey;

  @Field(() => Float, { description: "Requests in the period for which the key was accepted." })
  accepted!: number;

  @Field(() => Float, {
    description: "Requests in the period refused because the key was revoked, expired or unresolvable.",
  })
  refused!: number;

  @AtMost(30)
  @Field(() => [UsageBucket], {
    description: "All buckets of the period, oldest first, including empty ones.",
  })
  buckets!: UsageBucket[];
}
