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
  description: "How far back uses of keys are counted.",
  valuesConfig: {
    last_24_hours: { description: "24 buckets of an hour, the last one under way." },
    last_30_days: { description: "30 buckets of a day in UTC, the last one under way." },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "How often a key was presented from one moment to the next.",
})
export class UsageBucket {
  @Field(() => GraphQLISODateTime, { description: "When the bucket begins." })
  start!: Timestamp;

  @Field(() => Float, { description: "Requests that the key was accepted for." })
  accepted!: number;

  @Field(() => Float, { description: "Requests that were refused because the key was dead." })
  refused!: number;
}

@ObjectType("KeyUsage", { description: "How often a key was presented in a period." })
export class KeyUsageReport {
  @Field(() => ApiKey, { description: "The key." })
  apiKey!: ApiKey;

  @Field(() => Float, { description: "Requests of the whole period that the key was accepted for." })
  accepted!: number;

  @Field(() => Float, {
    description: "Requests of the whole period that were refused because the key was dead.",
  })
  refused!: number;

  @AtMost(30)
  @Field(() => [UsageBucket], { description: "The period in its parts, oldest first, none left out." })
  buckets!: UsageBucket[];
}
