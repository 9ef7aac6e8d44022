import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { linkById } from "../../schema/links";
import { Input } from "../../schema/mutation-input";
import { Agent } from "../agents/agent.entity";
import type { AgentService } from "../agents/agent.service";
import { MAY_READ_CONTACTS } from "../contacts/contact.access";
import { Contact } from "../contacts/contact.entity";
import { Timer, TimerConnection } from "./timer.entity";
import { CancelTimerInput, TimersArgs } from "./timer.inputs";
import type { TimerService } from "./timer.service";

@Resolver(() => Timer)
export class TimerResolver {
  constructor(
    private readonly service: TimerService,
    private readonly agents: AgentService,
  ) {}

  @Access(MAY_READ_CONTACTS)
  @Query(() => TimerConnection, { description: "An agent's waiting timers, oldest first." })
  timers(@Ctx() context: RequestContext, @Args() args: TimersArgs): Promise<TimerConnection> {
    return this.service.list(context, args);
  }

  @Access({ key: "contacts:write", member: Permission.conversations_write })
  @Mutation(() => Timer, { description: "Cancels a waiting timer." })
  cancelTimer(@Ctx() context: RequestContext, @Input() { id }: CancelTimerInput): Promise<Timer> {
    return this.service.cancel(context, id);
  }

  @FieldResolver(() => Agent, { description: "The agent." })
  agent(@Root() timer: Timer): Promise<Agent> {
    return this.agents.of(timer);
  }
}

export const TimerContactResolver = linkById(Timer, Contact, {
  name: "contact",
  access: MAY_READ_CONTACTS,
  description: "The contact, or null if there is none.",
  id: "contactId",
});
