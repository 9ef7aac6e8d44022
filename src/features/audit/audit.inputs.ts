import { ArgsType, GraphQLISODateTime, ID } from "type-graphql";
import { Nullable } from "../../common/nullable";
import { isUuid } from "../../common/uuid";
import { ConnectionOf, PageArgs } from "../../pagination/connection";
import { AuditAction } from "./audit-actions";
import { AuditEntry } from "./audit-entry.entity";

@ArgsType()
export class AuditLogArgs extends PageArgs {
  @Nullable(() => AuditAction, "Only this action.")
  action!: AuditAction | null | undefined;

  @Nullable(() => ID, "Only actions by the member or API key with this ID.")
  actorId!: string | null | undefined;

  @Nullable(() => ID, "Only actions that affected the resource with this ID.")
  targetId!: string | null | undefined;

  @Nullable(() => GraphQLISODateTime, "Only actions at or after this time.")
  since!: Date | null | undefined;

  @Nullable(() => GraphQLISODateTime, "Only actions before this time.")
  until!: Date | null | undefined;
}

export const AuditEntryConnection = ConnectionOf(AuditEntry, "audit", isUuid);
export type AuditEntryConnection = InstanceType<typeof AuditEntryConnection>;
