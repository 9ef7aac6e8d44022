import { Args, Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Report } from "../../schema/report";
import { PeriodArgs } from "../key-usage/usage.types";
import { Activity, ActivityService } from "./activity.service";

@Resolver(() => Activity)
export class ActivityResolver {
  constructor(private readonly service: ActivityService) {}

  @Access({ member: Permission.conversations_read })
  @Report()
  @Query(() => Activity, {
    description: "Activity of the organization's agents in a period. Counts are capped at 10,000.",
  })
  activity(
    @Ctx() context: RequestContext,
    @Args(() => PeriodArgs) { period }: PeriodArgs,
  ): Promise<Activity> {
    return this.service.count(context, period);
  }
}
