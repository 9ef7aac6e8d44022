import { Args, Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Report } from "../../schema/report";
import { AuditEntryConnection, AuditLogArgs } from "./audit.inputs";
import { AuditService } from "./audit.service";
import { AuditEntry } from "./audit-entry.entity";

@Resolver(() => AuditEntry)
export class AuditResolver {
  constructor(private readonly audit: AuditService) {}

  @Access({ member: Permission.config_manage, organizationKey: "audit:read" })
  @Report()
  @Query(() => AuditEntryConnection, {
    description: "The organization's audit log, newest first.",
  })
  auditLog(@Ctx() context: RequestContext, @Args() args: AuditLogArgs): Promise<AuditEntryConnection> {
    return this.audit.list(context, args);
  }
}
