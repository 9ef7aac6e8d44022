import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  GraphQLISODateTime,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { findIfAny } from "../../common/coalesce";
import { NewestFirstPageArgs } from "../../pagination/connection";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { Report } from "../../schema/report";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Agent } from "../agents/agent.entity";
import { AgentService } from "../agents/agent.service";
import { LineService } from "../lines/line.service";
import { MAY_READ_MESSAGES } from "../messages/message.access";
import { Message } from "../messages/message.entity";
import {
  ApproveMessageInput,
  CancelMessageInput,
  DiscardMessageInput,
  MessageConnection,
  SendMessageInput,
} from "../messages/message.inputs";
import { MAY_READ_CONVERSATIONS } from "./conversation.access";
import { ConversationConnection } from "./conversation.connection";
import { Conversation, Handler } from "./conversation.entity";
import {
  AssignConversationInput,
  CloseConversationInput,
  ConversationChange,
  ConversationMessagesArgs,
  ConversationsArgs,
  HandOffConversationInput,
  MarkConversationOpenedInput,
  MoveConversationInput,
  OpenConversationInput,
  OpenedConversation,
  ReleaseConversationInput,
  SendToConversationInput,
} from "./conversation.inputs";
import { ConversationService } from "./conversation.service";
import { ConversationChanges } from "./conversation-changes";
import { ConversationLogConnection, ConversationLogEntry } from "./conversation-log-entry.entity";
import { MessageQueue } from "./message-queue";
import { MessageReviews } from "./message-reviews";

const CHANGE = { key: "conversations:write", member: Permission.conversations_write } as const;
const SEND = { key: "messages:write", member: Permission.conversations_write } as const;

@Resolver(() => Conversation)
export class ConversationResolver {
  constructor(
    private readonly service: ConversationService,
    private readonly changes: ConversationChanges,
    private readonly reviews: MessageReviews,
    private readonly queue: MessageQueue,
    private readonly agents: AgentService,
    private readonly lines: LineService,
  ) {}

  @Access(MAY_READ_CONVERSATIONS)
  @Query(() => Conversation, {
    nullable: true,
    description: "One conversation, or null if it does not exist.",
  })
  conversation(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the conversation." }) id: string,
  ): Promise<Conversation | null> {
    return this.service.find(context, id);
  }

  @Access(MAY_READ_CONVERSATIONS)
  @Report()
  @Query(() => ConversationConnection, {
    description: "The conversations of one agent or of all agents.",
  })
  conversations(@Ctx() context: RequestContext, @Args() args: ConversationsArgs) {
    return this.service.list(context, args);
  }

  @Access(MAY_READ_MESSAGES)
  @Query(() => MessageConnection, { description: "The messages in a conversation." })
  conversationMessages(@Ctx() context: RequestContext, @Args() args: ConversationMessagesArgs) {
    return this.service.messages(context, args);
  }

  @Access(CHANGE)
  @Mutation(() => OpenedConversation, {
    description:
      "Opens a conversation with a contact on a line, or reuses the open one, and queues a first message.",
  })
  openConversation(@Ctx() context: RequestContext, @Input() input: OpenConversationInput) {
    return this.service.open(context, input);
  }

  @Access({ key: "messages:write" })
  @Mutation(() => Message, { description: "Queues a message for the API key's agent." })
  sendMessage(@Ctx() context: RequestContext, @Input() input: SendMessageInput) {
    return this.queue.send(context, input);
  }

  @Access(SEND)
  @Mutation(() => Message, { description: "Queues a message in a conversation." })
  sendToConversation(@Ctx() context: RequestContext, @Input() input: SendToConversationInput) {
    return this.service.send(context, input);
  }

  @Access(SEND)
  @Mutation(() => Message, { description: "Cancels a message that has not been sent." })
  cancelMessage(@Ctx() context: RequestContext, @Input() { id }: CancelMessageInput) {
    return this.reviews.cancel(context, id);
  }

  @Access(CHANGE)
  @Mutation(() => Message, {
    description: "Approves a proposed message, which is then queued, or scheduled if its rule sets a delay.",
  })
  approveMessage(@Ctx() context: RequestContext, @Input() input: ApproveMessageInput) {
    return this.reviews.approve(context, input);
  }

  @Access(CHANGE)
  @Mutation(() => Message, { description: "Discards a proposed message, which becomes `canceled`." })
  discardMessage(@Ctx() context: RequestContext, @Input() input: DiscardMessageInput) {
    return this.reviews.discard(context, input);
  }

  @Access(CHANGE)
  @Mutation(() => Conversation, {
    description: "Assigns a conversation to a member of the organization, or unassigns it.",
  })
  assignConversation(@Ctx() context: RequestContext, @Input() input: AssignConversationInput) {
    return this.changes.assign(context, input);
  }

  @Access({ member: Permission.conversations_read })
  @Mutation(() => Conversation, {
    description:
      "Records that the signed-in member has opened a conversation, so that members are e-mailed about its next handoff. The dashboard does this for each handed-off conversation that it shows.",
  })
  markConversationOpened(@Ctx() context: RequestContext, @Input() { id }: MarkConversationOpenedInput) {
    return this.changes.markOpened(context, id);
  }

  @Access(CHANGE)
  @Mutation(() => ConversationChange, {
    description: "Moves a conversation to another line. Moving it to its current line has no effect.",
  })
  moveConversation(@Ctx() context: RequestContext, @Input() input: MoveConversationInput) {
    return this.changes.move(context, input);
  }

  @Access(CHANGE)
  @Mutation(() => ConversationChange, {
    description:
      "Hands a conversation off to a human and cancels the agent's queued messages. Until it is released, the agent applies only rules with `whileHuman`.",
  })
  handOffConversation(@Ctx() context: RequestContext, @Input() input: HandOffConversationInput) {
    return this.changes.handOff(context, input);
  }

  @Access(CHANGE)
  @Mutation(() => ConversationChange, {
    description: "Releases a handed-off conversation so that the agent answers again.",
  })
  releaseConversation(@Ctx() context: RequestContext, @Input() input: ReleaseConversationInput) {
    return this.changes.release(context, input);
  }

  @Access(CHANGE)
  @Mutation(() => ConversationChange, {
    description: "Closes a conversation and cancels its queued messages. Closing it again has no effect.",
  })
  closeConversation(@Ctx() context: RequestContext, @Input() input: CloseConversationInput) {
    return this.changes.close(context, input);
  }

  @FieldResolver(() => GraphQLISODateTime, {
    nullable: true,
    description:
      "When the conversation will be released to the agent unless a human answers first, as set by `releaseAfter` in the live configuration. Null if `releaseAfter` is not set, the agent answers, or the conversation is closed.",
  })
  releaseAt(@Root() conversation: Conversation) {
    return this.service.releaseAtOf(conversation);
  }

  @Access(MAY_READ_MESSAGES)
  @FieldResolver(() => Message, {
    nullable: true,
    description:
      "The last message in the conversation, or null if there is none. API keys need the `messages:read` scope.",
  })
  lastMessage(@Root() { id }: Conversation) {
    return findIfAny(this.service.lastMessageOf, id);
  }

  @FieldResolver(() => ConversationLogConnection, {
    description: "The conversation's log of moves, handoffs, releases, assignments and closures.",
  })
  log(@Ctx() context: RequestContext, @Root() { id }: Conversation, @Args() args: NewestFirstPageArgs) {
    return this.service.logOf(context, id, args);
  }

  @FieldResolver(() => ConversationLogEntry, {
    nullable: true,
    description:
      "The last handoff. Null while the agent answers, or if the conversation was opened after all of the contact's conversations were handed off.",
  })
  async handoff(@Root() { id, handler }: Conversation) {
    return handler === Handler.human ? findIfAny(this.service.lastHandoffOf, id) : null;
  }

  @FieldResolver(() => Agent, { description: "The conversation's agent." })
  agent(@Root() conversation: Conversation) {
    return this.agents.of(conversation);
  }

  @FieldResolver(() => String, { description: "Name of the conversation's line." })
  async lineName(@Root() { lineId }: Conversation) {
    return (await this.lines.byId(lineId))?.name ?? "";
  }

  @ThirdPartyText()
  @FieldResolver(() => String, {
    nullable: true,
    description: "The contact's address on the line, or null if the contact no longer has it.",
  })
  async address(@Root() { addressId }: Conversation) {
    return (await this.service.addressOf(addressId))?.address ?? null;
  }
}
