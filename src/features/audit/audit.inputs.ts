import { ArgsType, Field, GraphQLISODateTime, ID } from "type-graphql";
import { PageArgs } from "../../pagination/connection";
import { AuditAction } from "./audit-actions";

@ArgsType()
export class AuditLogArgs extends PageArgs {
  @Field(() => AuditAction, { nullable: true, description: "Only this action." })
  action!: AuditAction | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only actions of the member or API key with this ID." })
  actorId!: string | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only actions that affected the resource with this ID." })
  targetId!: string | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only actions at or after this time." })
  since!: Date | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only actions before this time." })
  until!: Date | null | undefined;
}
