import { Arg, Args, Ctx, ID, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Report } from "../../schema/report";
import { MAX_AGENTS } from "../agents/agent.limits";
import { PeriodArgs } from "../key-usage/usage.types";
import { Activity, ActivityService, AgentSummary, LineActivity } from "./activity.service";

@Resolver(() => Activity)
export class ActivityResolver {
  constructor(private readonly service: ActivityService) {}

  @Access({ member: Permission.conversations_read })
  @Report()
  @Query(() => Activity, {
    description:
      "Activity of the organization's agents in the last 24 hours or 30 days. Counts are capped at 10,000.",
  })
  activity(@Ctx() context: RequestContext, @Args() { period }: PeriodArgs): Promise<Activity> {
    return this.service.count(context, period);
  }

  @Access({ member: Permission.config_manage })
  @Report()
  @AtMost(MAX_AGENTS)
  @Query(() => [AgentSummary], {
    description: "A summary of each of the organization's agents, in no particular order.",
  })
  agentSummaries(@Ctx() context: RequestContext): Promise<AgentSummary[]> {
    return this.service.agents(context);
  }

  @Access({ member: Permission.config_manage, organizationKey: "lines:manage" })
  @Report()
  @Query(() => LineActivity, {
    description:
      "Message counts for a line: queued messages, and messages from the last 24 hours that were sent or failed.",
  })
  lineActivity(
    @Ctx() context: RequestContext,
    @Arg("lineId", () => ID, { description: "ID of the line." }) lineId: string,
  ): Promise<LineActivity> {
    return this.service.countOnLine(context, lineId);
  }
}
