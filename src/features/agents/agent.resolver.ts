import { Ctx, Query, Resolver } from "type-graphql";
import { Access } from "../../auth/access";
import type { RequestContext } from "../../auth/context";
import { Agent } from "./agent.entity";
import { AgentService } from "./agent.service";

@Resolver(() => Agent)
export class AgentResolver {
  constructor(private readonly service: AgentService) {}

  @Access("member")
  @Query(() => [Agent], { description: "The agents of the caller's organization." })
  agents(@Ctx() context: RequestContext): Promise<Agent[]> {
    return this.service.list(context);
  }
}
