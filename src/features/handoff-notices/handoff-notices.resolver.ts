import { Ctx, FieldResolver, Mutation, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { Agent } from "../agents/agent.entity";
import { SetHandoffNoticesInput } from "./handoff-notices.inputs";
import { HandoffNotices } from "./handoff-notices.service";

@Resolver(() => Agent)
export class HandoffNoticesResolver {
  constructor(private readonly service: HandoffNotices) {}

  @Access({ member: true })
  @FieldResolver(() => Boolean, {
    nullable: true,
    description:
      "True if the signed-in member is e-mailed when one of the agent's conversations is handed off, or null if the server does not send e-mail. Available only to members.",
  })
  handoffNotices(@Ctx() context: RequestContext, @Root() { id }: Agent): Promise<boolean | null> {
    return this.service.isEnabled(context, id);
  }

  @Access({ member: Permission.conversations_read })
  @Mutation(() => Agent, {
    description: "Turns e-mails about an agent's handoffs on or off for the signed-in member.",
  })
  setHandoffNotices(@Ctx() context: RequestContext, @Input() input: SetHandoffNoticesInput): Promise<Agent> {
    return this.service.set(context, input);
  }
}
