import { LaneKind } from "../../delivery/lane.entity";
import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { Conversation } from "./conversation.entity";
import { ConversationResolver } from "./conversation.resolver";
import { conversationRoutes } from "./conversation.routes";
import { ConversationService } from "./conversation.service";
import { ConversationChanges } from "./conversation-changes";
import { deliverConversations } from "./deliver-conversations";

/** What agents and contacts say to each other. */
export const conversations = feature({
  entities: [Conversation],
  services: ({ database, lanes, agents }: Core & { agents: AgentService }) => ({
    conversations: new ConversationService(database, lanes, agents),
    conversationChanges: new ConversationChanges(database, lanes),
  }),
  resolvers: (services) => [new ConversationResolver(services.conversations, services.conversationChanges)],
  routes: conversationRoutes,
  batches: ["conversations", "lines", "conversation addresses"],
  lanes: { [LaneKind.conversation]: deliverConversations },
});
