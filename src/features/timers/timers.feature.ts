import { type Core, feature } from "../../schema/feature";
import { purgeRows } from "../agents/agent-purge";
import type { ContactPart } from "../contacts/contact-export";
import { eraseTimers } from "./erase-timers";
import { Timer } from "./timer.entity";
import { timerEventTypes } from "./timer.event-types";
import { TIMERS } from "./timer.metrics";
import { type ReachedByTimer, TimerResolver } from "./timer.resolver";
import { timerRoutes } from "./timer.routes";
import { TimerService } from "./timer.service";

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof timerEventTypes, object> {}
}

/** The timers about a contact. */
const timerPart: ContactPart = {
  kind: "timer",
  rows: (reader, contactId) => reader.createQueryBuilder(Timer, "timer").where({ subjectId: contactId }),
  order: ["timer.id"],
};

/** Situations that are handed to agents at a later time; the decisions set and fire them. */
export const timers = feature({
  entities: [Timer],
  services: ({ database, lanes }: Core & ReachedByTimer) => ({ timers: new TimerService(database, lanes) }),
  hooks: ({ database, lanes }) => ({
    // Their lanes end like all lanes of a deleted agent.
    agentPurged: purgeRows(database, Timer),
    contactErased: eraseTimers(database, lanes),
    contactExported: timerPart,
  }),
  resolvers: ({ timers, ...reached }) => [new TimerResolver(timers, reached)],
  routes: timerRoutes,
  eventTypes: timerEventTypes,
  metrics: () => [TIMERS],
});
