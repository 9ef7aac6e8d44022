import { Args, Ctx, Query, Resolver } from "type-graphql";
import { Access } from "../../auth/access";
import type { RequestContext } from "../../auth/context";
import { AuditEntryConnection } from "./audit.connection";
import { AuditLogArgs } from "./audit.inputs";
import { AuditService } from "./audit.service";
import { AuditEntry } from "./audit-entry.entity";

@Resolver(() => AuditEntry)
export class AuditResolver {
  constructor(private readonly audit: AuditService) {}

  @Access("manager")
  @Query(() => AuditEntryConnection, {
    description: "The audit log of the caller's organization, newest first.",
  })
  auditLog(
    @Ctx() context: RequestContext,
    @Args(() => AuditLogArgs) args: AuditLogArgs,
  ): Promise<AuditEntryConnection> {
    return this.audit.list(context, args);
  }
}
