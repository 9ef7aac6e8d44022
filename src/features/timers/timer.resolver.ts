import { Args, Ctx, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { MAY_READ_CONTACTS } from "../contacts/contact.access";
import { TimerConnection } from "./timer.connection";
import { Timer } from "./timer.entity";
import { CancelTimerInput, TimersArgs } from "./timer.inputs";
import type { TimerService } from "./timer.service";

@Resolver(() => Timer)
export class TimerResolver {
  constructor(private readonly service: TimerService) {}

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
}
