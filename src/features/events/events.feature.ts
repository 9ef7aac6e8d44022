import { DAY_MS, timestamp } from "../../common/time";
import { type Core, feature } from "../../schema/feature";
import type { AgentPurge } from "../agents/agent-purge";
import { AgentStream } from "./agent-stream.entity";
import { Event } from "./event.entity";
import { EventResolver } from "./event.resolver";
import { eventRoutes } from "./event.routes";
import { EventService } from "./event.service";
import { LiveEvents } from "./live/live-events";
import { purgeEvents } from "./purge-events";

/** What has happened to agents, for other systems to follow. */
export const events = feature({
  entities: [Event, AgentStream],
  services: ({ database, config, log, agentPurge }: Core & { agentPurge: AgentPurge }) => {
    agentPurge.onPurge(purgeEvents(database));
    return {
      events: new EventService(database),
      liveEvents: new LiveEvents(database, config, log),
    };
  },
  resolvers: (services) => [new EventResolver(services.events, services.liveEvents)],
  routes: eventRoutes,
  expired: ({ eventRetentionDays }) =>
    eventRetentionDays === 0
      ? []
      : [{ entity: Event, column: "created_at", before: timestamp(-eventRetentionDays * DAY_MS) }],
});
