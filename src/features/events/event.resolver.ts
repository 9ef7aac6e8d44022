import { Args, Ctx, Query, Resolver, Subscription } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import type { BatchedStream } from "../../common/batched-stream";
import { Access } from "../../schema/access";
import { OPENED_BY_METHOD } from "../../schema/subscriptions";
import { Event } from "./event.entity";
import { EventConnection, EventsArgs, FollowEventsArgs } from "./event.inputs";
import type { EventService } from "./event.service";
import type { LiveEvents } from "./live/live-events";
import { MAY_READ_EVENTS } from "./live/rejections";

@Resolver()
export class EventResolver {
  constructor(
    private readonly service: EventService,
    private readonly live: LiveEvents,
  ) {}

  @Access(MAY_READ_EVENTS)
  @Query(() => EventConnection, {
    description:
      "The events of an agent, oldest first: from `after` on, without gaps, or the oldest that are kept. `endCursor` is the position to continue from.",
  })
  events(@Ctx() context: RequestContext, @Args(() => EventsArgs) args: EventsArgs): Promise<EventConnection> {
    return this.service.list(context, args);
  }

  @Access(MAY_READ_EVENTS)
  @Subscription(() => Event, {
    ...OPENED_BY_METHOD,
    name: "events",
    description:
      "Follows the events of an agent as they are committed, in order and without gaps: from `after` on, or from now on. It ends when its credential is no longer accepted.",
  })
  followEvents(
    @Ctx() context: RequestContext,
    @Args(() => FollowEventsArgs) args: FollowEventsArgs,
  ): Promise<BatchedStream<Event>> {
    return this.live.follow(context, args);
  }
}
