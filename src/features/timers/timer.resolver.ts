import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { findIfAny } from "../../common/coalesce";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { Agent } from "../agents/agent.entity";
import type { AgentService } from "../agents/agent.service";
import { MAY_READ_CONTACTS } from "../contacts/contact.access";
import { Contact } from "../contacts/contact.entity";
import type { ContactService } from "../contacts/contact.service";
import { TimerConnection } from "./timer.connection";
import { Timer } from "./timer.entity";
import { CancelTimerInput, TimersArgs } from "./timer.inputs";
import type { TimerService } from "./timer.service";

/** The services behind the objects that a timer refers to. */
export interface ReachedByTimer {
  agents: AgentService;
  contacts: ContactService;
}

@Resolver(() => Timer)
export class TimerResolver {
  constructor(
    private readonly service: TimerService,
    private readonly reached: ReachedByTimer,
  ) {}

  @Access(MAY_READ_CONTACTS)
  @Query(() => TimerConnection, { description: "The waiting timers of an agent, oldest first." })
  timers(@Ctx() context: RequestContext, @Args(() => TimersArgs) args: TimersArgs): Promise<TimerConnection> {
    return this.service.list(context, args);
  }

  @Access({ key: "contacts:write", member: Permission.conversations_write })
  @Mutation(() => Timer, { description: "Cancels a waiting timer." })
  cancelTimer(
    @Ctx() context: RequestContext,
    @Input(CancelTimerInput) { id }: CancelTimerInput,
  ): Promise<Timer> {
    return this.service.cancel(context, id);
  }

  @FieldResolver(() => Agent, { description: "The agent." })
  agent(@Root() timer: Timer): Promise<Agent> {
    return this.reached.agents.of(timer);
  }

  @Access(MAY_READ_CONTACTS)
  @FieldResolver(() => Contact, {
    nullable: true,
    description: "The contact; null if there is none. API keys need the scope `contacts:read`.",
  })
  contact(@Root() { contactId }: Timer): Promise<Contact | null> {
    return findIfAny(this.reached.contacts.byId, contactId);
  }
}
