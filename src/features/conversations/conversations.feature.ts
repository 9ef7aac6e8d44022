import { LaneKind } from "../../delivery/lane.entity";
import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { type AgentPurge, purgeRows } from "../agents/agent-purge";
import type { Playbooks } from "../configuration/playbooks";
import type { Erasures } from "../contacts/erasures";
import type { LineServices } from "../lines/lines.feature";
import type { AgentQueues } from "../messages/agent-queues";
import type { MessageService } from "../messages/message.service";
import type { MessageFailures } from "../messages/message-failures";
import { messageWork } from "../messages/message-work";
import { Conversation } from "./conversation.entity";
import { ConversationResolver } from "./conversation.resolver";
import { conversationRoutes } from "./conversation.routes";
import { ConversationService } from "./conversation.service";
import { ConversationChanges } from "./conversation-changes";
import { DefaultConversations } from "./default-conversations";
import { eraseConversations } from "./erase-conversations";
import { readQueues } from "./read-queues";

interface Needs extends LineServices {
  agents: AgentService;
  agentPurge: AgentPurge;
  erasures: Erasures;
  agentQueues: AgentQueues;
  messages: MessageService;
  playbooks: Playbooks;
  messageFailures: MessageFailures;
}

/** What agents and contacts say to each other. */
export const conversations = feature({
  entities: [Conversation],
  services: ({ database, lanes, agents, agentPurge, ...needs }: Core & Needs) => {
    const { erasures, agentQueues, messages, playbooks } = needs;
    agentPurge.onPurge(purgeRows(database, Conversation));
    const defaultConversations = new DefaultConversations(database, lanes, playbooks);
    messages.joinBy(defaultConversations);
    erasures.onErase(eraseConversations(database, lanes));
    return {
      defaultConversations,
      conversations: new ConversationService(database, lanes, agents, agentQueues),
      conversationChanges: new ConversationChanges(database, lanes),
    };
  },
  resolvers: (services) => [new ConversationResolver(services.conversations, services.conversationChanges)],
  routes: conversationRoutes,
  batches: ["conversations", "last messages", "lines", "conversation addresses"],
  lanes: ({ database, drivers, lineHealth, messageFailures }) => ({
    [LaneKind.conversation]: messageWork({
      database,
      drivers,
      messageFailures,
      read: readQueues,
      onRejecting: lineHealth.pauseRejecting,
    }),
  }),
});
