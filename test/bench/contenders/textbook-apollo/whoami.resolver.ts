import { Ctx, Field, ObjectType, Query, Resolver } from "type-graphql";
import type { Context } from "./caller.js";
import { Agent, ApiKey, Organization } from "./entities.js";

@ObjectType({ simpleResolvers: true })
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
  whoami(@Ctx() { key }: Context): AgentIdentity {
    return { agent: key.agent, organization: key.agent.organization, key };
  }
}
