import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { Scope } from "../../auth/permissions";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { AtMost } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";
import { Organization } from "../organizations/organization.entity";
import { MAX_NETWORKS } from "./api-key.limits";

@ObjectType({ simpleResolvers: true, description: "The identity of the API key that made the request." })
export class ApiKeyIdentity {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  id!: string;

  @Field(() => String, { description: "Name chosen by the creator, such as where the key is used." })
  name!: string;

  @Field(() => String, { description: "The public part of the key: `agk_<env>_<publicId>`." })
  hint!: string;

  @Field(() => GraphQLISODateTime, { description: "When the key was minted." })
  createdAt!: Timestamp;

  @Field(() => [Scope], { description: "The scopes of the key; all scopes if it is not limited to some." })
  scopes!: readonly Scope[];

  @Field(() => Int, {
    nullable: true,
    description: "Max requests with the key per minute; null if only the server's limit holds.",
  })
  rateLimitPerMinute!: number | null;

  @AtMost(MAX_NETWORKS)
  @Field(() => [String], {
    nullable: true,
    description: "Networks in CIDR notation from which the key is accepted; null for anywhere.",
  })
  allowedNetworks!: readonly string[] | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "The agent that an API key resolves to, its organization and the key.",
})
export class AgentIdentity {
  @Field(() => Agent, { description: "The agent." })
  agent!: Pick<Agent, "id" | "slug" | "name">;

  @Field(() => Organization, { description: "The organization of the agent." })
  organization!: Organization;

  @Field(() => ApiKeyIdentity, { description: "The API key that made the request." })
  key!: ApiKeyIdentity;
}
