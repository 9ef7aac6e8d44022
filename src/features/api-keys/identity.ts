import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { KeyScope } from "../../auth/permissions";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { AtMost } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";
import { Organization } from "../organizations/organization.entity";
import { MAX_NETWORKS } from "./api-key.limits";

@ObjectType({ description: "The identity of the API key that made the request." })
export class ApiKeyIdentity {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  id!: string;

  @Field(() => String, {
    description: "Name chosen by the creator, such as the place where the key is used.",
  })
  name!: string;

  @Field(() => String, {
    description:
      "The public part of the key: `agk_<env>_<publicId>`, or `ago_<env>_<publicId>` for an organization key.",
  })
  hint!: string;

  @Field(() => GraphQLISODateTime, { description: "When the key was minted." })
  createdAt!: Timestamp;

  @Field(() => [KeyScope], {
    description: "The key's scopes, or all scopes if the key is not restricted.",
  })
  scopes!: readonly KeyScope[];

  @Nullable(() => Int, "Max requests per minute with the key, or null if only the server's limit applies.")
  rateLimitPerMinute!: number | null;

  @AtMost(MAX_NETWORKS)
  @Nullable(() => [String], "Networks that may use the key, in CIDR notation, or null for any network.")
  allowedNetworks!: readonly string[] | null;
}

@ObjectType({ description: "The agent or organization that an API key resolves to, and the key." })
export class AgentIdentity {
  @Nullable(() => Agent, "The agent, or null for an organization key.")
  agent!: Pick<Agent, "id" | "slug" | "name"> | null;

  @Field(() => Organization, { description: "The organization that the key belongs to." })
  organization!: Organization;

  @Field(() => ApiKeyIdentity, { description: "The API key that made the request." })
  key!: ApiKeyIdentity;
}
