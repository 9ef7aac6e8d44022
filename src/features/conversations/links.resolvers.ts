import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { findIfAny } from "../../common/coalesce";
import { OrderedPageArgs } from "../../pagination/connection";
import { Access } from "../../schema/access";
import { Agent } from "../agents/agent.entity";
import { unlessDeleted } from "../agents/agent-scope";
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
      "The agent's conversations; null for a deleted agent. API keys need the scope `conversations:read`.",
  })
  conversations(
    @Ctx() context: RequestContext,
    @Root() agent: Agent,
    @Args(() => OrderedPageArgs) args: OrderedPageArgs,
  ): Promise<ConversationConnection | null> {
    return unlessDeleted(agent, (id) => this.service.ofAgent(context, id, args));
  }
}

@Resolver(() => Contact)
export class ContactConversationsResolver {
  constructor(private readonly service: ConversationService) {}

  @Access(MAY_READ_CONVERSATIONS)
  @FieldResolver(() => ConversationConnection, {
    nullable: true,
    description: "The conversations with the contact. API keys need the scope `conversations:read`.",
  })
  conversations(
    @Ctx() context: RequestContext,
    @Root() { id }: Contact,
    @Args(() => OrderedPageArgs) args: OrderedPageArgs,
  ): Promise<ConversationConnection> {
    return this.service.ofContact(context, id, args);
  }
}

@Resolver(() => Message)
export class MessageConversationResolver {
  constructor(private readonly service: ConversationService) {}

  @Access(MAY_READ_CONVERSATIONS)
  @FieldResolver(() => Conversation, {
    nullable: true,
    description:
      "The message's conversation; null if the message does not belong to one. API keys need the scope `conversations:read`.",
  })
  conversation(@Root() { conversationId }: Message): Promise<Conversation | null> {
    return findIfAny(this.service.byId, conversationId);
  }
}

@Resolver(() => Timer)
export class TimerConversationResolver {
  constructor(private readonly service: ConversationService) {}

  @Access(MAY_READ_CONVERSATIONS)
  @FieldResolver(() => Conversation, {
    nullable: true,
    description:
      "The conversation; null if there was none when the timer was set. API keys need the scope `conversations:read`.",
  })
  conversation(@Root() { conversationId }: Timer): Promise<Conversation | null> {
    return findIfAny(this.service.byId, conversationId);
  }
}
