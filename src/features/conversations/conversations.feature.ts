import { LaneKind } from "../../delivery/lane.entity";
import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import type { Erasures } from "../contacts/erasures";
import type { AgentQueues } from "../messages/agent-queues";
import { Conversation } from "./conversation.entity";
import { ConversationResolver } from "./conversation.resolver";
import { conversationRoutes } from "./conversation.routes";
import { ConversationService } from "./conversation.service";
import { ConversationChanges } from "./conversation-changes";
import { deliverConversations } from "./deliver-conversations";
import { eraseConversations } from "./erase-conversations";

interface Needs {
  agents: AgentService;
  erasures: Erasures;
  agentQueues: AgentQueues;
}

/** What agents and contacts say to each other. */
export const conversations = feature({
  entities: [Conversation],
  services: ({ database, lanes, agents, erasures, agentQueues }: Core & Needs) => {
    erasures.onErase(eraseConversations(database, lanes));
    return {
      conversations: new ConversationService(database, lanes, agents, agentQueues),
      conversationChanges: new ConversationChanges(database, lanes),
    };
  },
  resolvers: (services) => [new ConversationResolver(services.conversations, services.conversationChanges)],
  routes: conversationRoutes,
  batches: ["conversations", "lines", "conversation addresses"],
  lanes: { [LaneKind.conversation]: deliverConversations },
});
