import { type EntityManager, In } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { placeholders } from "../../database/returning";
import type { Lanes } from "../../delivery/lanes";
import { onceEach } from "../../idempotency/idempotency";
import { assertKeysAccepted } from "../api-keys/assert-accepted";
import { actorOf } from "../audit/audit";
import { Line } from "../lines/line.entity";
import { assertRoom, queueFull } from "../messages/agent-queues";
import { asAccepted, insertMessages } from "../messages/insert-messages";
import { IS_UNSENT, MESSAGE_ORDER, Message, MessageAuthor } from "../messages/message.entity";
import type { Conversation } from "./conversation.entity";
import { MAX_QUEUED } from "./conversation.limits";
import { assertOpen, lockConversations, noSuchConversation } from "./own-conversation";

/** A message for a conversation. */
export interface Sending {
  context: RequestContext;
  conversationId: string;
  message: string;
  /** Whether the queue of the agent has room for it. */
  hasRoom: boolean;
}

interface KeyedSending {
  scope: string;
  key: string;
  request: { conversationId: string; message: string };
  sending: Sending;
}

/** Queues messages in conversations; those that arrive together share a transaction. */
export class ConversationSender {
  private readonly add: (sending: Sending) => Promise<Message>;
  private readonly addOnce: (sending: KeyedSending) => Promise<Message>;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
  ) {
    this.add = database.batchInserts((tx, sendings) => this.insert(tx, sendings));
    this.addOnce = database.batchInserts<KeyedSending, Message>((tx, keyed) =>
      onceEach(tx, keyed, {
        create: (fresh) =>
          this.insert(
            tx,
            fresh.map(({ sending }) => sending),
          ),
        // A repeat gets the answer of the first request, also when the message has been delivered since.
        find: async (ids) => (await tx.findBy(Message, { id: In([...ids]) })).map(asAccepted),
        idOf: ({ id }) => id,
      }),
    );
  }

  /**
   * Queues a message in a conversation of the caller's agent or organization.
   * @returns the message as it was accepted, also for a repeat with the same idempotency key
   * @throws GatewayError `not_found`, `conflict` for a closed conversation, `queue_full`, `idempotency_key_reused`
   */
  async send(sending: Sending, key: string | null | undefined): Promise<Message> {
    const { context, conversationId, message } = sending;
    if (key == null) return this.add(sending);
    return this.addOnce({
      scope: `sendToConversation:${actorOf(context.caller).actorId}`,
      key,
      request: { conversationId, message },
      sending,
    });
  }

  private async insert(tx: EntityManager, sendings: readonly Sending[]): Promise<Message[]> {
    await assertMembersSignedIn(tx, sendings);
    const ids = [...new Set(sendings.map(({ conversationId }) => conversationId))];
    const conversations = await lockConversations(this.database, tx, ids);
    return this.insertLocked(tx, sendings, conversations);
  }

  /**
   * Queues messages in conversations that the transaction has locked, or just opened.
   * @param sendings those of members are authorized already
   * @throws GatewayError `conflict` for a closed conversation, `queue_full`, or the refusal of a key
   */
  async insertLocked(
    tx: EntityManager,
    sendings: readonly Sending[],
    conversations: ReadonlyMap<string, Conversation>,
  ): Promise<Message[]> {
    for (const { conversationId } of sendings) {
      const conversation = conversations.get(conversationId);
      if (conversation === undefined) throw noSuchConversation();
      assertOpen(conversation);
    }
    for (const { hasRoom } of sendings) assertRoom(hasRoom);
    await assertRoomInEach(tx, sendings, conversations);
    await this.database.lockInsertOrder(tx, MESSAGE_ORDER);
    const keys = sendings.flatMap(({ context: { caller } }) =>
      caller.kind === "agent" ? caller.key.id : [],
    );
    if (keys.length > 0) await assertKeysAccepted(tx, keys);
    const lineIds = [...conversations.values()].map(({ lineId }) => lineId);
    const lines = new Map((await tx.findBy(Line, { id: In(lineIds) })).map((line) => [line.id, line]));
    const messages = await insertMessages(
      tx,
      this.lanes,
      sendings.map(({ context: { caller }, conversationId, message }) => {
        const conversation = conversations.get(conversationId) as Conversation;
        conversation.lastSequence += 1;
        return {
          agentId: conversation.agentId,
          message,
          author: caller.kind === "agent" ? MessageAuthor.api : MessageAuthor.member,
          expiresAfterMs: (lines.get(conversation.lineId) as Line).expireAfterSeconds * 1000,
          conversation: { conversationId, sequence: conversation.lastSequence, fence: conversation.version },
        };
      }),
    );
    await storeSequences(tx, [...conversations.values()]);
    return messages;
  }
}

/** Sessions in a fixed order, so that batches do not deadlock. */
async function assertMembersSignedIn(tx: EntityManager, sendings: readonly Sending[]): Promise<void> {
  const sessions = new Map(
    sendings.flatMap(({ context }) =>
      context.caller.kind === "member" ? [[context.caller.sessionId, context] as const] : [],
    ),
  );
  for (const [, context] of [...sessions].sort(([a], [b]) => (a < b ? -1 : 1)))
    await assertSignedIn(tx, context, { permission: Permission.conversations_write });
}

/** @throws GatewayError `queue_full` */
async function assertRoomInEach(
  tx: EntityManager,
  sendings: readonly Sending[],
  conversations: ReadonlyMap<string, Conversation>,
): Promise<void> {
  // A conversation with fewer messages has room in any case, which spares most of them the count.
  const long = [...conversations.values()].filter(
    ({ id, lastSequence }) => lastSequence + countOf(sendings, id) > MAX_QUEUED,
  );
  for (const { id } of long) {
    const queued = await tx
      .createQueryBuilder(Message, "message")
      .where("message.conversation_id = :id", { id })
      .andWhere(`message.${IS_UNSENT}`)
      .getCount();
    if (queued + countOf(sendings, id) > MAX_QUEUED) {
      throw queueFull(`A conversation has at most ${MAX_QUEUED} queued messages.`);
    }
  }
}

const countOf = (sendings: readonly Sending[], id: string) =>
  sendings.filter(({ conversationId }) => conversationId === id).length;

async function storeSequences(tx: EntityManager, conversations: readonly Conversation[]): Promise<void> {
  const now = timestamp();
  for (const conversation of conversations) conversation.updatedAt = now;
  await tx.query(
    `with changed (id, last_sequence, at) as (values ${placeholders(conversations.length, 3)})
     update conversation set last_sequence = cast(changed.last_sequence as integer), updated_at = changed.at
     from changed where conversation.id = changed.id`,
    conversations.flatMap(({ id, lastSequence }) => [id, String(lastSequence), now]),
  );
}
