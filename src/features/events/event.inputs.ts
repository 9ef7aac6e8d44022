import { ArgsType, Field, ID, ObjectType } from "type-graphql";
import { Checked } from "../../common/checked";
import { JsonSchema } from "../../common/json-schema";
import { Nullable, Optional } from "../../common/nullable";
import { EdgeOf, PageArgs, PageInfo } from "../../pagination/connection";
import { SCOPED_AGENT_ID } from "../agents/agent.inputs";
import { Event } from "./event.entity";
import { EVENT_TYPES, EventType } from "./event-types";

const isEventType = (type: unknown) => typeof type === "string" && EVENT_TYPES.has(type);

/** Checks a list or, for REST, one of its items. Rejects an empty list, because null means all types. */
export const AreEventTypes = () =>
  Checked("areEventTypes", (value) => {
    if (Array.isArray(value) && value.length === 0) return "must not be empty";
    return value === undefined || [value].flat().every(isEventType)
      ? undefined
      : "must contain only event types, such as message.delivered";
  });

export const IsEventType = () =>
  Checked("isEventType", (value) =>
    value === undefined || isEventType(value)
      ? undefined
      : "must be an event type, such as message.delivered",
  );

const TYPES = "Only events of these types.";

@ArgsType()
export class EventsArgs extends PageArgs {
  @Field(() => ID, SCOPED_AGENT_ID)
  agentId?: string | null | undefined;

  @Optional(() => [EventType], TYPES)
  @AreEventTypes()
  types?: EventType[] | null | undefined;
}

@ArgsType()
export class FollowEventsArgs {
  @Field(() => ID, SCOPED_AGENT_ID)
  agentId?: string | null | undefined;

  @Nullable(() => String, "Position to start after. Omit it to start with the next event.")
  @JsonSchema({ minLength: 1 })
  after?: string | null | undefined;

  @Optional(() => [EventType], TYPES)
  @AreEventTypes()
  types?: EventType[] | null | undefined;
}

const EventEdge = EdgeOf(Event, ({ position }) => position);

@ObjectType({ description: "A page of events (Relay), oldest first. Cursors are positions." })
export class EventConnection {
  @Field(() => [Event], { description: "The events on this page, without their cursors." })
  readonly nodes: readonly Event[];

  @Field(() => PageInfo, {
    description:
      "Position of the page. `endCursor` is the cursor to continue from, even after an empty page.",
  })
  readonly pageInfo: PageInfo;

  /** @param end the position to continue from, possibly after the last event of the page */
  constructor(nodes: readonly Event[], isFirst: boolean, hasNextPage: boolean, end: string) {
    this.nodes = nodes;
    this.pageInfo = new PageInfo(hasNextPage, !isFirst, (index) =>
      index === 0 ? (nodes[0]?.position ?? null) : end,
    );
  }

  @Field(() => [EventEdge], { description: "The events on this page, each with its cursor." })
  get edges(): InstanceType<typeof EventEdge>[] {
    return this.nodes.map((node) => new EventEdge(node));
  }
}
