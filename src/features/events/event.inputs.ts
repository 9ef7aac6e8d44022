import { ArgsType, Field, ID, ObjectType } from "type-graphql";
import { Checked } from "../../common/checked";
import { JsonSchema } from "../../common/json-schema";
import { IsOptional } from "../../common/validators";
import { PageArgs } from "../../pagination/connection";
import { Event } from "./event.entity";
import { EVENT_TYPES } from "./event-types";

const isEventType = (type: unknown) => typeof type === "string" && EVENT_TYPES.has(type);

/** Checks a list as a whole; REST checks each item. An empty list is a mistake: null stands for all types. */
export const AreEventTypes = () =>
  Checked("areEventTypes", (value) => {
    if (Array.isArray(value) && value.length === 0) return "must not be empty";
    return value === undefined || [value].flat().every(isEventType)
      ? undefined
      : "must contain only types of events, such as message.delivered";
  });

export const IsEventType = () =>
  Checked("isEventType", (value) =>
    value === undefined || isEventType(value)
      ? undefined
      : "must be a type of event, such as message.delivered",
  );

const AGENT_ID = {
  nullable: true,
  description:
    "ID of the agent. Required for members; not allowed with an API key, which belongs to one agent.",
};

const TYPES = { nullable: true, description: "Only events of these types, such as `message.delivered`." };

@ArgsType()
export class EventsArgs extends PageArgs {
  @Field(() => ID, AGENT_ID)
  agentId?: string | null | undefined;

  @Field(() => [String], TYPES)
  @IsOptional()
  @AreEventTypes()
  types?: string[] | null | undefined;
}

@ArgsType()
export class FollowEventsArgs {
  @Field(() => ID, AGENT_ID)
  agentId?: string | null | undefined;

  @Field(() => String, {
    nullable: true,
    description: "Position after which to start; omit it to start with the next event.",
  })
  @JsonSchema({ minLength: 1 })
  after?: string | null | undefined;

  @Field(() => [String], TYPES)
  @IsOptional()
  @AreEventTypes()
  types?: string[] | null | undefined;
}

@ObjectType({ simpleResolvers: true, description: "Position of a page of events." })
export class EventPageInfo {
  @Field(() => Boolean, { description: "True if there are events after this page." })
  hasNextPage!: boolean;

  @Field(() => String, {
    description: "Position to pass as `after` for the next page, even if this page is empty.",
  })
  endCursor!: string;
}

@ObjectType({ simpleResolvers: true, description: "A page of events, oldest first." })
export class EventConnection {
  @Field(() => [Event], { description: "The events on the page." })
  nodes!: Event[];

  @Field(() => EventPageInfo, { description: "Position of the page." })
  pageInfo!: EventPageInfo;
}
