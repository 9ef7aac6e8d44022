import { In } from "typeorm";
import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { purgeRows } from "../agents/agent-purge";
import type { ContactService } from "../contacts/contact.service";
import type { ContactPart } from "../contacts/contact-export";
import { eraseTimers } from "./erase-timers";
import { Timer } from "./timer.entity";
import { timerEventTypes } from "./timer.event-types";
import { TIMERS } from "./timer.metrics";
import { TimerContactResolver, TimerResolver } from "./timer.resolver";
import { timerRoutes } from "./timer.routes";
import { TimerService } from "./timer.service";

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof timerEventTypes, object> {}
}

const timerPart: ContactPart = {
  kind: "timer",
  rows: (reader, contactId) => reader.createQueryBuilder(Timer, "timer").where({ subjectId: contactId }),
  order: ["timer.id"],
};

interface Needs {
  agents: AgentService;
  contacts: ContactService;
}

/** Timers submit situations to agents at a later time. The decisions feature sets and fires them. */
export const timers = feature({
  entities: [Timer],
  services: ({ database, lanes }: Core & Needs) => ({ timers: new TimerService(database, lanes) }),
  hooks: ({ database, lanes }) => ({
    // The timers' lanes are deleted along with the agent's other lanes.
    agentPurged: purgeRows(database, Timer),
    contactsTouched: async (reader, contactIds) => {
      const waiting = await reader.find(Timer, {
        select: ["subjectId"],
        where: { subjectId: In(contactIds) },
      });
      return waiting.map(({ subjectId: id }) => ({ id, at: null }));
    },
    contactErased: eraseTimers(database, lanes),
    contactExported: timerPart,
  }),
  resolvers: ({ timers, agents, contacts }) => [
    new TimerResolver(timers, agents),
    new TimerContactResolver(contacts),
  ],
  routes: timerRoutes,
  eventTypes: timerEventTypes,
  metrics: () => [TIMERS],
});
