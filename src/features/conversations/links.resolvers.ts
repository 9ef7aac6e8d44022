import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { OrderedPageArgs } from "../../pagination/connection";
import { Access } from "../../schema/access";
import { linkById, linkToPage } from "../../schema/links";
import { Agent } from "../agents/agent.entity";
import { unlessDeleted } from "../agents/agent-scope";
import { AuditEntry } from "../audit/audit-entry.entity";
import { Contact } from "../contacts/contact.entity";
import { Message } from "../messages/message.entity";
import { Timer } from "../timers/timer.entity";
import { MAY_READ_CONVERSATIONS } from "./conversation.access";
import { ConversationConnection } from "./conversation.connection";
import { Conversation } from "./conversation.entity";
import { ConversationService } from "./conversation.service";

@Resolver(() => Agent)
export class AgentConversationsResolver {
  constructor(private readonly service: ConversationService) {}

  @Access(MAY_READ_CONVERSATIONS)
  @FieldResolver(() => ConversationConnection, {
    nullable: true,
    description:
      "The agent's conversations; null for a deleted agent. API keys need the `conversations:read` scope.",
  })
  conversations(
    @Ctx() context: RequestContext,
    @Root() agent: Agent,
    @Args() args: OrderedPageArgs,
  ): Promise<ConversationConnection | null> {
    return unlessDeleted(agent, (id) => this.service.ofAgent(context, id, args));
  }
}

export const ContactConversationsResolver = linkToPage(Contact, ConversationConnection, OrderedPageArgs, {
  name: "conversations",
  access: MAY_READ_CONVERSATIONS,
  description: "The conversations with the contact.",
  list: "ofContact",
});

export const MessageConversationResolver = linkById(Message, Conversation, {
  name: "conversation",
  access: MAY_READ_CONVERSATIONS,
  description: "The message's conversation; null if the message does not belong to one.",
  id: "conversationId",
});

export const AuditEntryConversationResolver = linkById(AuditEntry, Conversation, {
  name: "conversation",
  access: MAY_READ_CONVERSATIONS,
  description: "The conversation that was changed; null for other entries, and if it is no longer kept.",
  id: "targetId",
});

export const TimerConversationResolver = linkById(Timer, Conversation, {
  name: "conversation",
  access: MAY_READ_CONVERSATIONS,
  description: "The conversation; null if there was none when the timer was set.",
  id: "conversationId",
});
