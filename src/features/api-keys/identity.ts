import { Field, GraphQLISODateTime, ID, ObjectType } from "type-graphql";
import { Scope } from "../../auth/permissions";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { Agent } from "../agents/agent.entity";
import { Organization } from "../organizations/organization.entity";

@ObjectType({ simpleResolvers: true, description: "What a key may know of itself." })
export class ApiKeyIdentity {
  @Field(() => ID, { description: "Unique identifier (UUID)." })
  @Uuid
  id!: string;

  @Field(() => String, { description: "Name chosen by the creator, to say where the key is used." })
  name!: string;

  @Field(() => String, { description: "The part of the key that may be shown: `agk_<env>_<publicId>`." })
  hint!: string;

  @Field(() => GraphQLISODateTime, { description: "When the key was minted." })
  createdAt!: Timestamp;

  @Field(() => [Scope], { description: "What the key may be used for: all scopes for a key without a list." })
  scopes!: readonly Scope[];
}

@ObjectType({ simpleResolvers: true, description: "Which agent a key resolves to." })
export class AgentIdentity {
  @Field(() => Agent, { description: "The agent." })
  agent!: Pick<Agent, "id" | "slug" | "name">;

  @Field(() => Organization, { description: "The organization of the agent." })
  organization!: Organization;

  @Field(() => ApiKeyIdentity, { description: "The key itself." })
  key!: ApiKeyIdentity;
}
