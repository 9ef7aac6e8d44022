import { Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { Agent } from "./agent.entity";
import { AgentService } from "./agent.service";

@Resolver(() => Agent)
export class AgentResolver {
  constructor(private readonly service: AgentService) {}

  @Access({ member: true })
  @Query(() => [Agent], { description: "The agents of the caller's organization." })
  agents(@Ctx() context: RequestContext): Promise<Agent[]> {
    return this.service.list(context);
  }
}
