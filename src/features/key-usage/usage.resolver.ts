import { Args, Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Report } from "../../schema/report";
import { UsageService } from "./usage.service";
import {
  DeprecatedUseArgs,
  DeprecatedUseReport,
  KeyUsageArgs,
  KeyUsageReport,
  OperationUseArgs,
  OperationUseOfKey,
  PeriodArgs,
  UsageTotals,
} from "./usage.types";

const MANAGERS = { member: Permission.config_manage, organizationKey: "keys:manage" } as const;

@Resolver(() => KeyUsageReport)
export class UsageResolver {
  constructor(private readonly usage: UsageService) {}

  @Access(MANAGERS)
  @Report()
  @Query(() => [KeyUsageReport], {
    description:
      "Usage of the organization's API keys in a period, most used first, at most 100 keys. New requests are counted within seconds.",
  })
  keyUsage(@Ctx() context: RequestContext, @Args() args: KeyUsageArgs): Promise<KeyUsageReport[]> {
    return this.usage.list(context, args);
  }

  @Access(MANAGERS)
  @Report()
  @Query(() => DeprecatedUseReport, {
    description:
      "Deprecated parts of the APIs used by the organization's API keys in the last 30 days. New uses are counted within seconds.",
  })
  deprecatedUse(
    @Ctx() context: RequestContext,
    @Args() args: DeprecatedUseArgs,
  ): Promise<DeprecatedUseReport> {
    return this.usage.deprecated(context, args);
  }

  @Access(MANAGERS)
  @Report()
  @Query(() => [OperationUseOfKey], {
    description:
      "Operations that an API key of the organization was used for in the last 30 days, most recent first. Rejected keys are not included. New uses are counted within seconds.",
  })
  operationUse(@Ctx() context: RequestContext, @Args() args: OperationUseArgs): Promise<OperationUseOfKey[]> {
    return this.usage.operations(context, args);
  }

  @Access(MANAGERS)
  @Report()
  @Query(() => UsageTotals, {
    description: "Total usage of the organization's API keys in a period.",
  })
  usageTotals(@Ctx() context: RequestContext, @Args() { period }: PeriodArgs): Promise<UsageTotals> {
    return this.usage.totals(context, period);
  }
}
