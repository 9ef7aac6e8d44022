import { type EntityManager } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { type AccessRule, authorize } from "../../auth/authorize";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { indexBy } from "../../common/coalesce";
import type { Timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { rowsById } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { directionOf } from "../../pagination/connection";
import { type ListOfParent, listOfParent } from "../../pagination/list-of-parent";
import { countRows } from "../../pagination/total-count";
import type { AgentService } from "../agents/agent.service";
import { findOfCaller, scopedAgentId, scopedAgentIds } from "../agents/agent-scope";
import { assertKeysAccepted } from "../api-keys/assert-accepted";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { periodMs } from "../configuration/document/period";
import { Contact } from "../contacts/contact.entity";
import { ContactAddress } from "../contacts/contact-address.entity";
import { normalized } from "../contacts/contact-addresses";
import { type AgentQueues, acceptedAs, assertRoom } from "../messages/agent-queues";
import { asAccepted, laterTime } from "../messages/insert-messages";
import { IS_UNPLACED, MESSAGE_ORDER, Message } from "../messages/message.entity";
import { MessageConnection, startIn } from "../messages/message.inputs";
import { ConversationConnection, ownedBy, pageOfConversations } from "./conversation.connection";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import type {
  ConversationMessagesArgs,
  ConversationsArgs,
  OpenConversationInput,
  OpenedConversation,
  SendToConversationInput,
} from "./conversation.inputs";
import { type Matching, matchingIn } from "./conversation-filter";
import {
  ConversationLogConnection,
  ConversationLogEntry,
  ConversationLogKind,
} from "./conversation-log-entry.entity";
import { ConversationOrder } from "./conversation-order";
import { addressOn, assertInUse, lineOf, lockReferenced } from "./destination";
import { assertOpen, idempotencyScope } from "./find-conversation";
import type { MessageQueue } from "./message-queue";
import { openConversation } from "./open-conversation";

/** The scope or permission needed to queue a first message. */
const SENDING: AccessRule = {
  allowed: { key: "messages:write", member: Permission.conversations_write },
  whileDeactivated: false,
};

/** Opens and lists agents' conversations with their contacts, and queues messages in them. */
export class ConversationService {
  /** Finds a conversation's last message by the conversation's ID, without an access check. */
  readonly lastMessageOf: (id: string) => Promise<Message | undefined>;
  /** Finds a conversation by ID, without an access check. */
  readonly byId: (id: string) => Promise<Conversation | undefined>;
  /** Reads a page of a conversation's messages, without an access check. */
  readonly messagesOf: ListOfParent<MessageConnection>;
  /** Reads a page of an agent's conversations, without an access check. */
  readonly ofAgent: ListOfParent<ConversationConnection>;
  /** Reads a page of the conversations with a contact, without an access check. */
  readonly ofContact: ListOfParent<ConversationConnection>;
  /** Reads a page of a conversation's log, without an access check. */
  readonly logOf: ListOfParent<ConversationLogConnection>;
  /** Finds a conversation's last handoff by the conversation's ID, without an access check. */
  readonly lastHandoffOf: (id: string) => Promise<ConversationLogEntry | undefined>;
  /** Finds an address by ID, without an access check. */
  readonly addressOf: (id: string) => Promise<ContactAddress | undefined>;
  /** Finds the live configuration's `releaseAfter` (ms) by the agent's ID; undefined if it is not set. */
  private readonly releasePeriodOf: (agentId: string) => Promise<number | undefined>;
  /**
   * Finds the latest `humanAt` of a contact's open conversations that were handed off together, by the
   * contact's ID.
   */
  private readonly lastHumanAtOf: (contactId: string) => Promise<Timestamp | undefined>;

  constructor(
    private readonly database: Database,
    private readonly queue: MessageQueue,
    private readonly agents: AgentService,
    private readonly queues: AgentQueues,
    configurations: CompiledConfigurations,
  ) {
    this.byId = rowsById(database, "conversations", Conversation);
    this.lastMessageOf = database.coalesceByKey("last messages", async (ids) =>
      indexBy(
        await database.read((reader) => lastMessages(reader, ids)),
        ({ conversationId }) => conversationId as string,
      ),
    );
    this.messagesOf = listOfParent(database, MessageConnection, {
      what: "messages of conversations",
      entity: Message,
      parent: "conversationId",
      position: "sequence",
      startIn: (conversationId, position) => startIn(conversationId, position, "sequence"),
      condition: "sequence IS NOT NULL",
    });
    this.ofAgent = listOfParent(database, ConversationConnection, {
      what: "conversations of agents",
      entity: Conversation,
      parent: "agentId",
    });
    this.ofContact = listOfParent(database, ConversationConnection, {
      what: "conversations of contacts",
      entity: Conversation,
      parent: "contactId",
    });
    this.logOf = listOfParent(database, ConversationLogConnection, {
      what: "logs of conversations",
      entity: ConversationLogEntry,
      parent: "conversationId",
    });
    this.lastHandoffOf = database.coalesceByKey("last handoffs", async (ids) =>
      indexBy(
        await database.read((reader) => lastHandoffs(reader, ids)),
        ({ conversationId }) => conversationId,
      ),
    );
    this.addressOf = rowsById(database, "conversation addresses", ContactAddress);
    this.releasePeriodOf = database.coalesceByKey("release periods", (agentIds) =>
      database.read(async (reader) => {
        const periods = new Map<string, number>();
        await Promise.all(
          agentIds.map(async (agentId) => {
            const { configuration } = await configurations.live(reader, agentId);
            const ms = periodMs(configuration.document.releaseAfter ?? "");
            if (ms !== undefined) periods.set(agentId, ms);
          }),
        );
        return periods;
      }),
    );
    this.lastHumanAtOf = database.coalesceByKey("conversations handed off together", async (contactIds) => {
      const rows = await database.read((reader) => handedOffTogether(reader, contactIds));
      return new Map(rows.map(({ contactId, humanAt }) => [contactId, humanAt]));
    });
  }

  /**
   * Returns the time when a conversation will be released unless a human answers first; null if it will not
   * be released.
   */
  async releaseAtOf({ agentId, contactId, state, humanAt }: Conversation): Promise<Date | null> {
    if (humanAt === null || state === ConversationState.closed) return null;
    const ms = await this.releasePeriodOf(agentId);
    if (ms === undefined) return null;
    return new Date(Date.parse((await this.lastHumanAtOf(contactId)) ?? humanAt) + ms);
  }

  /** @returns the conversation, or null if the caller's agent or organization has none with this ID */
  find(context: RequestContext, id: string): Promise<Conversation | null> {
    return this.database.read((reader) => findOfCaller(reader, context, Conversation, id));
  }

  /**
   * Returns one page of an agent's conversations. API keys use their own agent; members specify one, or none for all
   * agents.
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
    const { agentId, contact, line, text, sendAt, idempotencyKey } = input;
    if (text != null) authorize(context.caller, SENDING, true);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.conversations_write });
      const agent = await scopedAgentId(tx, context, agentId, "input.agentId");
      const [address] = contact.address == null ? [] : normalized([contact.address]);
      return once(tx, {
        scope: idempotencyScope("openConversation", context),
        answer: context.answer,
        key: idempotencyKey,
        request: {
          agentId: agent,
          contactId: contact.id,
          ref: contact.ref,
          kind: address?.kind,
          address: address?.address,
          lineId: line?.id,
          line: line?.name,
          text,
          sendAt: sendAt?.toISOString(),
        },
        create: () => this.openOnce(tx, context, agent, input),
        repeat: (id) => repeated(tx, id, text != null),
        // The result is the ID of the added row, which tells a retry whether the request opened the
        // conversation.
        idOf: ({ conversation, created, message }) =>
          created ? conversation.id : (message?.id ?? unopenedId(conversation)),
      });
    });
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

  private async openOnce(
    tx: Tx,
    context: RequestContext,
    agentId: string,
    input: OpenConversationInput,
  ): Promise<OpenedConversation> {
    const contact = await lockReferenced(tx, context, agentId, input.contact);
    const line = await lineOf(tx, agentId, input.line);
    assertInUse(line);
    const [meant] = input.contact.address == null ? [] : normalized([input.contact.address]);
    const address = await addressOn(
      tx,
      line,
      contact.id,
      (each) => each.kind === meant?.kind && each.address === meant.address,
    );
    const { conversation, created } = await openConversation(tx, { line, contact, address });
    const { caller } = context;
    if (input.text == null) {
      await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
      if (caller.kind === "agent") await assertKeysAccepted(tx, [caller.key.id]);
      return { conversation, created, message: null };
    }
    const sendAt = laterTime(input.sendAt);
    const hasRoom = await this.queues.take(agentId, { status: acceptedAs({ sendAt }) });
    const placed = { context, conversation, text: input.text, sendAt, hasRoom };
    const [message] = await this.queue.queue(tx, [placed]);
    // Rolls back the transaction, so that the conversation is not opened without the message.
    if (message instanceof GatewayError) throw message;
    return { conversation, created, message: message ?? null };
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

/**
 * Returns, for each handed-off contact, the latest `humanAt` of its conversations, which are released
 * together.
 */
const handedOffTogether = (
  reader: EntityManager,
  contactIds: readonly string[],
): Promise<{ contactId: string; humanAt: Timestamp }[]> =>
  reader
    .createQueryBuilder(Conversation, "conversation")
    .innerJoin(
      Contact,
      "contact",
      "contact.id = conversation.contact_id AND contact.handed_off_at IS NOT NULL",
    )
    .select("conversation.contact_id", "contactId")
    .addSelect("MAX(conversation.human_at)", "humanAt")
    .where("conversation.contact_id IN (:...contactIds)", { contactIds })
    .andWhere({ state: ConversationState.open, handler: Handler.human })
    .groupBy("conversation.contact_id")
    .getRawMany();

/** Returns the last handoff of each conversation. */
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

/**
 * Returns the result to store with the idempotency key of a request that found an open conversation and added
 * no message. It is the conversation's ID in a format that no row's ID has.
 */
const unopenedId = ({ id }: Conversation): string => id.replaceAll("-", "_");

/**
 * Returns the response to a retry: the current conversation, and the message as accepted.
 * @param id ID of the new conversation, of the message queued in an open one, or from `unopenedId`
 */
async function repeated(tx: Tx, id: string, hasMessage: boolean): Promise<OpenedConversation> {
  const opened = await tx.findOneBy(Conversation, { id });
  const message = !hasMessage
    ? null
    : await tx.findOneOrFail(Message, {
        where: opened === null ? { id } : { conversationId: id },
        order: { id: "ASC" },
      });
  const conversation =
    opened ??
    (await tx.findOneByOrFail(Conversation, { id: message?.conversationId ?? id.replaceAll("_", "-") }));
  return { conversation, created: opened !== null, message: message && asAccepted(message) };
}
