import { ArgsType, Field, GraphQLISODateTime, ID } from "type-graphql";
import { PageArgs } from "../../pagination/connection";
import { AuditAction } from "./audit-entry.entity";

@ArgsType()
export class AuditLogArgs extends PageArgs {
  @Field(() => AuditAction, { nullable: true, description: "Only this action." })
  action!: AuditAction | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only what this member or API key did." })
  actorId!: string | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only what was done to this." })
  targetId!: string | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only from this moment on." })
  since!: Date | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only before this moment." })
  until!: Date | null | undefined;
}
