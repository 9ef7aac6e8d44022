import { Arg, Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Report } from "../../schema/report";
import { MAX_KEYS, UsageService } from "./usage.service";
import { KeyUsageReport, UsagePeriod } from "./usage.types";

@Resolver(() => KeyUsageReport)
export class UsageResolver {
  constructor(private readonly usage: UsageService) {}

  @Access({ member: Permission.config_manage })
  @AtMost(MAX_KEYS)
  @Report()
  @Query(() => [KeyUsageReport], {
    description:
      "Usage of the API keys of the caller's organization in a period, most used first, at most 100 keys. Uses are counted within seconds.",
  })
  keyUsage(
    @Ctx() context: RequestContext,
    @Arg("period", () => UsagePeriod, {
      defaultValue: UsagePeriod.last_24_hours,
      description: "The period to report.",
    })
    period: UsagePeriod,
  ): Promise<KeyUsageReport[]> {
    return this.usage.list(context, period);
  }
}
