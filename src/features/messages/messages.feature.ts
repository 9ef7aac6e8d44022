import { type Core, feature, olderThan } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { purgeRows } from "../agents/agent-purge";
import type { UnsubscribeLinks } from "../contacts/unsubscribe-links";
import type { LineServices } from "../lines/lines.feature";
import { AgentQueues } from "./agent-queues";
import { DeliveryAttempt } from "./delivery-attempt.entity";
import { Message } from "./message.entity";
import { HeldReason, MessageStatus } from "./message.enums";
import { messageEventTypes } from "./message.event-types";
import { ATTEMPTS, DELIVERIES, MESSAGES, RECOVERIES } from "./message.metrics";
import { MessageResolver } from "./message.resolver";
import { messageRoutes } from "./message.routes";
import { messageScopes } from "./message.scopes";
import { MessageService } from "./message.service";
import { MESSAGE_LANE } from "./message-lanes";
import { messageWork } from "./message-work";
import { Receipts } from "./receipts";
import { Rejections } from "./rejections";
import { readStandaloneMessages } from "./standalone-messages";

interface Needs extends LineServices {
  agents: AgentService;
  unsubscribeLinks: UnsubscribeLinks;
}

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof messageScopes, string> {}
}

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof messageEventTypes, object> {}
}

/** Agents' messages and their delivery. */
export const messages = feature({
  entities: [Message, DeliveryAttempt],
  services: ({ database, lanes, hooks, lineHealth, log }: Core & Needs) => ({
    agentQueues: new AgentQueues(database),
    receipts: new Receipts(database, lanes, hooks, log),
    rejections: new Rejections(database, lineHealth, log),
    messages: new MessageService(database, lanes),
  }),
  hooks: ({ database }) => ({
    agentPurged: purgeRows(database, Message, [[DeliveryAttempt, "messageId"]]),
    // Messages that could not be delivered are sent again immediately.
    deliverySettingsChanged: async (tx, { id: lineId, agentId }) => {
      const waiting = { agentId, lineId, status: MessageStatus.queued, heldReason: HeldReason.retry };
      await tx.update(Message, waiting, { notBefore: null });
    },
  }),
  resolvers: (services) => [new MessageResolver(services.messages, services.agents, services.lines)],
  routes: messageRoutes,
  scopes: messageScopes,
  eventTypes: messageEventTypes,
  metrics: () => [MESSAGES, ATTEMPTS, RECOVERIES, DELIVERIES],
  retention: { RETENTION_ATTEMPTS_DAYS: 90 },
  expired: ({ RETENTION_ATTEMPTS_DAYS: days }) => olderThan(days, DeliveryAttempt, "started_at"),
  close: ({ rejections }) => rejections.counted(),
  lanes: (services) => ({ [MESSAGE_LANE]: messageWork(readStandaloneMessages, services) }),
});
