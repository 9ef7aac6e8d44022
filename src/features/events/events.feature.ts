import { type Core, feature, olderThan } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { AgentStream } from "./agent-stream.entity";
import { Event } from "./event.entity";
import { EVENT_RETENTION } from "./event.limits";
import { EventResolver } from "./event.resolver";
import { eventRoutes } from "./event.routes";
import { eventScopes } from "./event.scopes";
import { EventService } from "./event.service";
import { LiveEvents } from "./live/live-events";
import { purgeEvents } from "./purge-events";

interface Needs {
  agents: AgentService;
}

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof eventScopes, string> {}
}

/** Agents' events; other systems can subscribe to them. */
export const events = feature({
  entities: [Event, AgentStream],
  services: ({ database, config, log }: Core & Needs) => ({
    events: new EventService(database),
    liveEvents: new LiveEvents(database, config, log),
  }),
  hooks: ({ database }) => ({ agentPurged: purgeEvents(database) }),
  stop: ({ liveEvents }) => liveEvents.close(),
  metrics: ({ liveEvents }) => [
    {
      type: "reading",
      name: "gateway_event_streams",
      help: "Open event streams.",
      read: () => liveEvents.open,
    },
    {
      type: "reading",
      name: "gateway_events_sent_total",
      help: "Events sent to event streams.",
      isCounter: true,
      read: () => liveEvents.sent,
    },
  ],
  resolvers: (services) => [new EventResolver(services.events, services.liveEvents, services.agents)],
  routes: eventRoutes,
  scopes: eventScopes,
  retention: EVENT_RETENTION,
  expired: ({ RETENTION_EVENTS_DAYS: days }) => olderThan(days, Event, "created_at"),
});
