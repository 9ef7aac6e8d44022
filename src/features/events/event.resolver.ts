import { Args, Ctx, FieldResolver, Query, Resolver, Root, Subscription } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import type { BatchedStream } from "../../common/batched-stream";
import { Access } from "../../schema/access";
import { OPENED_BY_METHOD } from "../../schema/subscriptions";
import { Agent } from "../agents/agent.entity";
import { AgentService } from "../agents/agent.service";
import { Event } from "./event.entity";
import { EventConnection, EventsArgs, FollowEventsArgs } from "./event.inputs";
import type { EventService } from "./event.service";
import type { LiveEvents } from "./live/live-events";
import { MAY_READ_EVENTS } from "./live/rejections";

@Resolver(() => Event)
export class EventResolver {
  constructor(
    private readonly service: EventService,
    private readonly live: LiveEvents,
    private readonly agents: AgentService,
  ) {}

  @Access(MAY_READ_EVENTS)
  @Query(() => EventConnection, {
    description:
      "An agent's events, oldest first and without gaps, starting with the oldest stored event or, with a cursor, the event after it.",
  })
  events(@Ctx() context: RequestContext, @Args() args: EventsArgs): Promise<EventConnection> {
    return this.service.list(context, args);
  }

  @Access(MAY_READ_EVENTS)
  @Subscription(() => Event, {
    ...OPENED_BY_METHOD,
    name: "events",
    description:
      "Streams an agent's events as they are committed, in order and without gaps, starting after `after` or, if omitted, with the next event. The subscription ends when its credential is no longer accepted.",
  })
  followEvents(
    @Ctx() context: RequestContext,
    @Args() args: FollowEventsArgs,
  ): Promise<BatchedStream<Event>> {
    return this.live.follow(context, args);
  }

  @FieldResolver(() => Agent, { description: "The agent that the event belongs to." })
  agent(@Root() event: Event): Promise<Agent> {
    return this.agents.of(event);
  }
}
