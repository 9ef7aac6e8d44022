import { Context, Field, ObjectType, Query, Resolver } from "@nestjs/graphql";
import { Agent, ApiKey, Organization } from "./entities.js";

@ObjectType()
class AgentIdentity {
  @Field()
  agent!: Agent;

  @Field()
  organization!: Organization;

  @Field()
  key!: ApiKey;
}

@Resolver()
export class WhoamiResolver {
  @Query(() => AgentIdentity)
  whoami(@Context("req") { key }: { key: ApiKey }): AgentIdentity {
    return { agent: key.agent, organization: key.agent.organization, key };
  }
}
