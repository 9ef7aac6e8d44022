import { Args, Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission, Scope } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { EventConnection, EventsArgs } from "./event.inputs";
import type { EventService } from "./event.service";

@Resolver()
export class EventResolver {
  constructor(private readonly service: EventService) {}

  @Access({ key: Scope.events_read, member: Permission.conversations_read })
  @Query(() => EventConnection, {
    description:
      "The events of an agent, oldest first: from `after` on, without gaps, or the oldest that are kept. `endCursor` is the position to go on from.",
  })
  events(@Ctx() context: RequestContext, @Args(() => EventsArgs) args: EventsArgs): Promise<EventConnection> {
    return this.service.list(context, args);
  }
}
