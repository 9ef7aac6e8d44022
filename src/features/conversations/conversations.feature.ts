import { RELEASE_LANE, SCHEDULE_LANE } from "../../delivery/wake-lanes";
import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { purgeRows } from "../agents/agent-purge";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import type { ContactService } from "../contacts/contact.service";
import type { UnsubscribeLinks } from "../contacts/unsubscribe-links";
import type { LineServices } from "../lines/lines.feature";
import type { AgentQueues } from "../messages/agent-queues";
import { CONVERSATION_LANE } from "../messages/message-lanes";
import { messageWork } from "../messages/message-work";
import type { Receipts } from "../messages/receipts";
import type { Rejections } from "../messages/rejections";
import { cancelWithdrawn } from "./cancel-withdrawn";
import { contactsInConversation } from "./contacts-in-use";
import { Conversation } from "./conversation.entity";
import { conversationEventTypes } from "./conversation.event-types";
import { ConversationResolver } from "./conversation.resolver";
import { conversationRoutes } from "./conversation.routes";
import { conversationScopes } from "./conversation.scopes";
import { ConversationService } from "./conversation.service";
import { ConversationChanges } from "./conversation-changes";
import { ConversationLogEntry } from "./conversation-log-entry.entity";
import { DefaultConversations } from "./default-conversations";
import { deleteEndedMessages, MESSAGE_RETENTION, newWalk } from "./delete-ended-messages";
import { eraseConversations } from "./erase-conversations";
import { conversationParts } from "./export-conversations";
import { ConversationContactResolver, ConversationLineResolver, conversationLinks } from "./links.resolvers";
import { MessageQueue } from "./message-queue";
import { MessageReviews } from "./message-reviews";
import { readPolicyGates } from "./policy-gates";
import { placingIn } from "./queue-messages";
import { readQueues } from "./read-queues";
import { releaseWork } from "./release-work";
import { scheduleWork } from "./schedule-work";

interface Needs extends LineServices {
  agents: AgentService;
  agentQueues: AgentQueues;
  contacts: ContactService;
  compiledConfigurations: CompiledConfigurations;
  receipts: Receipts;
  rejections: Rejections;
  unsubscribeLinks: UnsubscribeLinks;
}

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof conversationScopes, string> {}
}

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof conversationEventTypes, object> {}
}

/** Conversations between agents and contacts. */
export const conversations = feature({
  entities: [Conversation, ConversationLogEntry],
  services: ({ database, lanes, hooks, agents, agentQueues, compiledConfigurations }: Core & Needs) => {
    const defaultConversations = new DefaultConversations(compiledConfigurations);
    const messageQueue = new MessageQueue(database, lanes, agentQueues, defaultConversations);
    return {
      defaultConversations,
      messageQueue,
      conversations: new ConversationService(
        database,
        messageQueue,
        agents,
        agentQueues,
        compiledConfigurations,
      ),
      conversationChanges: new ConversationChanges(database, lanes, hooks),
      messageReviews: new MessageReviews(database, lanes),
    };
  },
  hooks: ({ database, lanes, compiledConfigurations }) => ({
    policyGates: readPolicyGates(compiledConfigurations),
    placingIn,
    consentsWithdrawn: cancelWithdrawn(lanes),
    memberRemoved: async (tx, { id }) => {
      // Locks conversations in ID order, like every transaction that locks several conversations.
      await tx.query(
        `update conversation set assignee_id = null
         where id in (select id from conversation where assignee_id = $1 order by id ${tx.updateLock()})`,
        [id],
      );
      // Transactions that insert messages lock conversations before they acquire the insert-order lock, and
      // delete handoff notices afterwards.
      await tx.waitForInserts();
    },
    agentPurged: async (...args) =>
      (await purgeRows(database, ConversationLogEntry)(...args)) &&
      purgeRows(database, Conversation)(...args),
    contactsTouched: contactsInConversation,
    contactErased: eraseConversations(database, lanes),
    contactExported: conversationParts,
  }),
  resolvers: (all) => [
    new ConversationResolver(
      all.conversations,
      all.conversationChanges,
      all.messageReviews,
      all.messageQueue,
      all.agents,
      all.lines,
    ),
    ...conversationLinks.map((Link) => new Link(all.conversations)),
    new ConversationContactResolver(all.contacts),
    new ConversationLineResolver(all.lines),
  ],
  routes: conversationRoutes,
  scopes: conversationScopes,
  eventTypes: conversationEventTypes,
  retention: MESSAGE_RETENTION,
  chores: ({ database, hooks, config }) => {
    const walk = newWalk();
    return [(signal) => deleteEndedMessages(database, hooks, config, { signal, walk })];
  },
  lanes: (services) => ({
    [RELEASE_LANE]: releaseWork(
      services.lanes,
      services.compiledConfigurations,
      services.conversationChanges,
    ),
    [SCHEDULE_LANE]: scheduleWork(services.lanes, services.hooks),
    [CONVERSATION_LANE]: messageWork(readQueues, services),
  }),
});
