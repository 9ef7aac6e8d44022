import { ArgsType, Field, GraphQLISODateTime, ID } from "type-graphql";
import { isUuid } from "../../common/uuid";
import { ConnectionOf, PageArgs } from "../../pagination/connection";
import { AuditAction } from "./audit-actions";
import { AuditEntry } from "./audit-entry.entity";

@ArgsType()
export class AuditLogArgs extends PageArgs {
  @Field(() => AuditAction, { nullable: true, description: "Only this action." })
  action!: AuditAction | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only actions by the member or API key with this ID." })
  actorId!: string | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only actions that affected the resource with this ID." })
  targetId!: string | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only actions at or after this time." })
  since!: Date | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only actions before this time." })
  until!: Date | null | undefined;
}

export const AuditEntryConnection = ConnectionOf(AuditEntry, "audit", isUuid);
export type AuditEntryConnection = InstanceType<typeof AuditEntryConnection>;
