import { type EntityManager } from "typeorm";
import { type AccessRule, authorize } from "../../auth/authorize";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { rowByKey, rowsById } from "../../database/rows-by-id";
import { noSuch } from "../../errors";
import { directionOf } from "../../pagination/connection";
import { listOfParent } from "../../pagination/list-of-parent";
import { countRows } from "../../pagination/total-count";
import type { AgentService } from "../agents/agent.service";
import { findOfCaller, scopedAgentIds } from "../agents/agent-scope";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { ContactAddress } from "../contacts/contact-address.entity";
import { type AgentQueues, acceptedAs, assertRoom } from "../messages/agent-queues";
import { laterTime } from "../messages/insert-messages";
import { IS_UNPLACED, Message } from "../messages/message.entity";
import { MessageConnection, startIn } from "../messages/message.inputs";
import { ConversationConnection, ownedBy, pageOfConversations } from "./conversation.connection";
import { Conversation } from "./conversation.entity";
import {
  type ConversationMessagesArgs,
  ConversationOrder,
  type ConversationsArgs,
  type OpenConversationInput,
  type OpenedConversation,
  type SendToConversationInput,
} from "./conversation.inputs";
import { type Matching, matchingIn } from "./conversation-filter";
import {
  ConversationLogConnection,
  ConversationLogEntry,
  ConversationLogKind,
} from "./conversation-log-entry.entity";
import { assertOpen } from "./find-conversation";
import type { MessageQueue } from "./message-queue";
import { openForCaller } from "./open-for-caller";
import { releaseTimes } from "./release-work";

/** The scope or permission needed to queue a first message. */
const SENDING: AccessRule = {
  allowed: { key: "messages:write", member: Permission.conversations_write },
  whileDeactivated: false,
};

/** Opens and lists agents' conversations with their contacts, and queues messages in them. */
export class ConversationService {
  // Lookups and lists by the ID of the conversation, address, agent or contact, without access checks.
  readonly lastMessageOf = rowByKey(this.database, "last messages", "conversationId", lastMessages);
  readonly byId = rowsById(this.database, "conversations", Conversation);
  readonly messagesOf = listOfParent(this.database, MessageConnection, {
    what: "messages of conversations",
    entity: Message,
    parent: "conversationId",
    position: "sequence",
    startIn: (conversationId, position) => startIn(conversationId, position, "sequence"),
    condition: "sequence IS NOT NULL",
  });
  readonly ofAgent = listOfParent(this.database, ConversationConnection, {
    what: "conversations of agents",
    entity: Conversation,
    parent: "agentId",
  });
  readonly ofContact = listOfParent(this.database, ConversationConnection, {
    what: "conversations of contacts",
    entity: Conversation,
    parent: "contactId",
  });
  readonly logOf = listOfParent(this.database, ConversationLogConnection, {
    what: "logs of conversations",
    entity: ConversationLogEntry,
    parent: "conversationId",
  });
  readonly lastHandoffOf = rowByKey(this.database, "last handoffs", "conversationId", lastHandoffs);
  readonly addressOf = rowsById(this.database, "conversation addresses", ContactAddress);
  /** Returns when a conversation will be released unless a human answers first; null if never. */
  readonly releaseAtOf = releaseTimes(this.database, this.configurations);

  constructor(
    private readonly database: Database,
    private readonly queue: MessageQueue,
    private readonly agents: AgentService,
    private readonly queues: AgentQueues,
    private readonly configurations: CompiledConfigurations,
  ) {}

  /** @returns the conversation, or null if the caller's agent or organization has none with this ID */
  find(context: RequestContext, id: string): Promise<Conversation | null> {
    return this.database.read((reader) => findOfCaller(reader, context, Conversation, id));
  }

  /**
   * Returns one page of an agent's conversations, or of all agents' if a member specifies no agent.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  async list(
    context: RequestContext,
    { agentId, order, first, after, ...filter }: ConversationsArgs,
  ): Promise<ConversationConnection> {
    const page = ConversationConnection.pageOf({ first, after });
    const needsReply = order === ConversationOrder.longest_waiting_first ? true : filter.needsReply;
    // With these filters, the query may scan many rows for few matches.
    const read = <T>(query: (reader: EntityManager, matching: Matching) => Promise<T>, none: T) =>
      this.database.report(organizationOf(context), async (reader) => {
        const agentIds = await scopedAgentIds(reader, context, agentId);
        const matching = await matchingIn(reader, context, agentIds, { ...filter, needsReply });
        return matching === null ? none : query(reader, matching);
      });
    const rows = await read(
      (reader, { query, owners }) => pageOfConversations(reader, query, page, { ...filter, order, owners }),
      [],
    );
    return new ConversationConnection(rows, page, () =>
      read((reader, { query, owners }) => countRows(reader, query.andWhere(ownedBy(owners))), 0),
    );
  }

  /**
   * Returns one page of a conversation's messages.
   * @throws GatewayError `not_found`, `invalid_cursor`
   */
  async messages(
    context: RequestContext,
    { id, scheduled, order, ...args }: ConversationMessagesArgs,
  ): Promise<MessageConnection> {
    const page = MessageConnection.pageOf(args);
    const direction = directionOf(order);
    const matching = (reader: EntityManager) =>
      reader
        .createQueryBuilder(Message, "message")
        .where({ conversationId: id })
        .andWhere(scheduled ? `message.${IS_UNPLACED}` : "message.sequence IS NOT NULL");
    const position = scheduled ? "id" : "sequence";
    const rows = await this.database.read(async (reader) => {
      if ((await findOfCaller(reader, context, Conversation, id)) === null) throw noSuch("conversation");
      const query = matching(reader);
      if (page.after !== undefined)
        query.andWhere(`message.${position} ${direction === "ASC" ? ">" : "<"} :start`, {
          start: startIn(id, page.after, position),
        });
      return query
        .orderBy(`message.${position}`, direction)
        .limit(page.limit + 1)
        .getMany();
    });
    return new MessageConnection(rows, page, () =>
      this.database.report(organizationOf(context), (reader) => countRows(reader, matching(reader))),
    );
  }

  /**
   * Opens a conversation with a contact on a line, or finds the open one, and queues a first message in it.
   * @throws GatewayError `invalid_request`, `insufficient_scope` for a message, `not_found` (agent, contact, line),
   *   `not_deliverable`, `queue_full`, `conflict` for an erased contact, `idempotency_key_reused`
   */
  open(context: RequestContext, input: OpenConversationInput): Promise<OpenedConversation> {
    if (input.text != null) authorize(context.caller, SENDING, true);
    return this.database.writeFor(ownerOf(context.caller), (tx) =>
      openForCaller(tx, context, input, { queue: this.queue, queues: this.queues }),
    );
  }

  /**
   * Queues a message in a conversation.
   * @returns the message as accepted, even for a retry with the same idempotency key
   * @throws GatewayError `not_found`, `conflict` for a closed conversation, `queue_full`, `idempotency_key_reused`
   */
  async send(context: RequestContext, args: SendToConversationInput): Promise<Message> {
    const { id, idempotencyKey } = args;
    // Checked before the message joins a batch, because an error would split the batch.
    const conversation = isUuid(id) ? await this.byId(id) : undefined;
    if (conversation === undefined || !(await this.isOwn(context, conversation)))
      throw noSuch("conversation");
    const sendAt = laterTime(args.sendAt);
    const hasRoom = await this.queues.take(conversation.agentId, { status: acceptedAs({ sendAt }) });
    if (idempotencyKey == null) {
      assertOpen(conversation);
      assertRoom(hasRoom, acceptedAs({ sendAt }));
    }
    return this.queue.sendTo(context, args, { sendAt, hasRoom });
  }

  private async isOwn(context: RequestContext, { agentId }: Conversation): Promise<boolean> {
    const { caller } = context;
    if (caller.kind === "agent") return caller.agent.id === agentId;
    const agent = await this.agents.byId(agentId);
    return agent?.organizationId === organizationOf(context) && agent.deletedAt === null;
  }
}

const lastMessages = (reader: EntityManager, conversationIds: readonly string[]): Promise<Message[]> =>
  reader
    .createQueryBuilder(Message, "message")
    .innerJoin(Conversation, "conversation", "message.conversation_id = conversation.id")
    .where("conversation.id IN (:...conversationIds)", { conversationIds })
    // The message with the conversation's last sequence number may have been rescheduled and lost its number.
    .andWhere(
      "message.sequence = (select max(sequence) from message where conversation_id = conversation.id)",
    )
    .getMany();

const lastHandoffs = (
  reader: EntityManager,
  conversationIds: readonly string[],
): Promise<ConversationLogEntry[]> =>
  reader
    .createQueryBuilder(ConversationLogEntry, "entry")
    .where(
      `entry.id IN (SELECT max(handoff.id) FROM conversation_log_entry handoff
        WHERE handoff.conversation_id IN (:...conversationIds) AND handoff.kind = '${ConversationLogKind.handed_off}'
        GROUP BY handoff.conversation_id)`,
      { conversationIds },
    )
    .getMany();
