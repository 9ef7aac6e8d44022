import { Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from "type-graphql";
import { KeyScope, SCOPES, type Scope } from "../../auth/permissions";
import { Nullable } from "../../common/nullable";
import { IsBetween } from "../../common/range";
import type { Timestamp } from "../../common/time";
import { ArrayNotEmpty, IsIn } from "../../common/validators";
import { CONNECTION_DAYS, CONNECTION_MAX_DAYS } from "./connection.limits";

@ObjectType({ description: "An application's request to act as an agent, awaiting a member's consent." })
export class ConnectionRequest {
  @Field(() => ID, { description: "Unique identifier." })
  id!: string;

  @Field(() => String, {
    description: "The application: the URL of its metadata document or its registered ID.",
  })
  clientId!: string;

  @Field(() => String, { description: "Name stated by the application." })
  name!: string;

  @Nullable(
    () => String,
    "Host that publishes the application's metadata, or null for a registered application, whose name is not verified.",
  )
  host!: string | null;

  @Field(() => String, { description: "URI that the browser is redirected to with the result." })
  redirectUri!: string;

  @Field(() => [KeyScope], { description: "The scopes that the application requests." })
  scopes!: Scope[];

  @Field(() => Int, {
    description: "Max days until the connection expires, as limited by the server's maximum key lifetime.",
  })
  maxDays!: number;

  @Field(() => GraphQLISODateTime, { description: "When the request expires." })
  expiresAt!: Timestamp;

  @Field(() => String, { description: "URL to open in the browser to reject the request." })
  rejectUrl!: string;
}

@InputType({ description: "A member's consent to an application's request." })
export class ConnectApplicationInput {
  @Field(() => ID, { description: "ID of the request." })
  requestId!: string;

  @Field(() => ID, { description: "ID of the agent that the application acts as." })
  agentId!: string;

  @Field(() => [KeyScope], { description: "The scopes to grant: at least one of the requested scopes." })
  @ArrayNotEmpty({ message: "must contain at least one scope" })
  @IsIn(SCOPES, { each: true, message: () => `must be one of ${SCOPES.join(", ")}` })
  scopes!: Scope[];

  @Field(() => Int, {
    defaultValue: CONNECTION_DAYS,
    description: `Days until the connection expires: 1 to ${CONNECTION_MAX_DAYS}, but no more than the request's \`maxDays\`.`,
  })
  @IsBetween(1, CONNECTION_MAX_DAYS)
  expiresInDays!: number;
}

@ObjectType({ description: "Result of consenting to an application's request." })
export class ConnectApplicationResult {
  @Field(() => String, {
    description:
      "URL to open in the browser that started the request. It works once, for a few minutes, and only in that browser.",
  })
  redirectUrl!: string;
}
