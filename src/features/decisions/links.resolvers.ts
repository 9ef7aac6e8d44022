import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { findIfAny } from "../../common/coalesce";
import { NewestFirstPageArgs } from "../../pagination/connection";
import { Access } from "../../schema/access";
import { MAY_READ_DECISIONS } from "../agents/agent.access";
import { Contact } from "../contacts/contact.entity";
import { Conversation } from "../conversations/conversation.entity";
import { Message } from "../messages/message.entity";
import { Timer } from "../timers/timer.entity";
import { DecisionConnection } from "./decision.connection";
import { Decision } from "./decision.entity";
import { DecisionService } from "./decision.service";

@Resolver(() => Contact)
export class ContactDecisionsResolver {
  constructor(private readonly service: DecisionService) {}

  @Access(MAY_READ_DECISIONS)
  @FieldResolver(() => DecisionConnection, {
    nullable: true,
    description: "The decisions about the contact. API keys need the scope `agent:read`.",
  })
  decisions(
    @Ctx() context: RequestContext,
    @Root() { id }: Contact,
    @Args(() => NewestFirstPageArgs) args: NewestFirstPageArgs,
  ): Promise<DecisionConnection> {
    return this.service.ofContact(context, id, args);
  }
}

@Resolver(() => Conversation)
export class ConversationDecisionsResolver {
  constructor(private readonly service: DecisionService) {}

  @Access(MAY_READ_DECISIONS)
  @FieldResolver(() => DecisionConnection, {
    nullable: true,
    description: "The decisions about the conversation. API keys need the scope `agent:read`.",
  })
  decisions(
    @Ctx() context: RequestContext,
    @Root() { id }: Conversation,
    @Args(() => NewestFirstPageArgs) args: NewestFirstPageArgs,
  ): Promise<DecisionConnection> {
    return this.service.ofConversation(context, id, args);
  }
}

@Resolver(() => Message)
export class MessageDecisionResolver {
  constructor(private readonly service: DecisionService) {}

  @Access(MAY_READ_DECISIONS)
  @FieldResolver(() => Decision, {
    nullable: true,
    description:
      "The decision that sent the message or, for an inbound message, that it led to; null if there is none. API keys need the scope `agent:read`.",
  })
  decision(@Root() { decisionId }: Message): Promise<Decision | null> {
    return findIfAny(this.service.byId, decisionId);
  }
}

@Resolver(() => Timer)
export class TimerDecisionResolver {
  constructor(private readonly service: DecisionService) {}

  @Access(MAY_READ_DECISIONS)
  @FieldResolver(() => Decision, {
    nullable: true,
    description:
      "The decision that set the timer; null if it is no longer kept. API keys need the scope `agent:read`.",
  })
  decision(@Root() { decisionId }: Timer): Promise<Decision | null> {
    return findIfAny(this.service.byId, decisionId);
  }
}
