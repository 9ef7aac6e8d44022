import { In } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { groupBy } from "../../common/group-by";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, noSuch } from "../../errors";
import { onceEach } from "../../idempotency/idempotency";
import { assertKeysAccepted } from "../api-keys/assert-accepted";
import { agentQueueFull } from "../messages/agent-queues";
import { asAccepted } from "../messages/insert-messages";
import { MESSAGE_ORDER, Message, MessageAuthor } from "../messages/message.entity";
import { type Conversation, ConversationState } from "./conversation.entity";
import { conversationClosed, idempotencyScope, lockConversations } from "./own-conversation";
import { conversationQueueFull, queueMessages, roomIn } from "./queue-messages";

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
  key: string | null | undefined;
  request: { conversationId: string; message: string };
  sending: Sending;
}

/** Queues messages in conversations; those that arrive together share a transaction. */
export class ConversationSender {
  private readonly add: (sending: KeyedSending) => Promise<Message>;

  constructor(
    database: Database,
    private readonly lanes: Lanes,
  ) {
    this.add = database.batchInsertsByOwner<KeyedSending, Message>(
      ({ sending: { context } }) => ownerOf(context.caller),
      (tx, keyed) =>
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
  send(sending: Sending, key: string | null | undefined): Promise<Message> {
    const { context, conversationId, message } = sending;
    const scope = idempotencyScope("sendToConversation", context);
    return this.add({ scope, key, request: { conversationId, message }, sending });
  }

  private async insert(tx: Tx, sendings: readonly Sending[]): Promise<(Message | GatewayError)[]> {
    await assertMembersSignedIn(tx, sendings);
    const ids = [...new Set(sendings.map(({ conversationId }) => conversationId))];
    const conversations = await lockConversations(tx, ids);
    return this.insertLocked(tx, sendings, conversations);
  }

  /**
   * Queues messages in conversations that the transaction has locked, or just opened.
   * @param sendings those of members are authorized already
   * @returns each message as it was accepted, or its rejection: `conflict` for a closed conversation, or `queue_full`
   * @throws GatewayError the rejection of a key
   */
  async insertLocked(
    tx: Tx,
    sendings: readonly Sending[],
    conversations: ReadonlyMap<string, Conversation>,
  ): Promise<(Message | GatewayError)[]> {
    const refusals = await refusalsOf(tx, sendings, conversations);
    const accepted = sendings.filter((sending) => !refusals.has(sending));
    const messages = accepted.length === 0 ? [] : await this.insertAccepted(tx, accepted, conversations);
    const bySending = new Map(accepted.map((sending, i) => [sending, messages[i] as Message]));
    return sendings.map((sending) => (refusals.get(sending) ?? bySending.get(sending)) as Message);
  }

  private async insertAccepted(
    tx: Tx,
    sendings: readonly Sending[],
    conversations: ReadonlyMap<string, Conversation>,
  ): Promise<Message[]> {
    const agentIds = sendings.flatMap(
      ({ conversationId }) => conversations.get(conversationId)?.agentId ?? [],
    );
    await tx.lockInsertOrder(MESSAGE_ORDER, agentIds);
    const keys = sendings.flatMap(({ context: { caller } }) =>
      caller.kind === "agent" ? caller.key.id : [],
    );
    if (keys.length > 0) await assertKeysAccepted(tx, keys);
    return queueMessages(
      tx,
      this.lanes,
      sendings.map(({ context: { caller }, conversationId, message }) => {
        const conversation = conversations.get(conversationId) as Conversation;
        const author = caller.kind === "agent" ? MessageAuthor.api : MessageAuthor.member;
        return { agentId: conversation.agentId, conversation, message, author };
      }),
    );
  }
}

/** Sessions in a fixed order, so that batches do not deadlock. */
async function assertMembersSignedIn(tx: Tx, sendings: readonly Sending[]): Promise<void> {
  const sessions = new Map(
    sendings.flatMap(({ context }) =>
      context.caller.kind === "member" ? [[context.caller.sessionId, context] as const] : [],
    ),
  );
  for (const [, context] of [...sessions].sort(([a], [b]) => (a < b ? -1 : 1)))
    await assertSignedIn(tx, context, { permission: Permission.conversations_write });
}

/** Why messages cannot be queued, in the order of their arrival: the first ones get the room that is left. */
async function refusalsOf(
  tx: Tx,
  sendings: readonly Sending[],
  conversations: ReadonlyMap<string, Conversation>,
): Promise<ReadonlyMap<Sending, GatewayError>> {
  const refusals = new Map<Sending, GatewayError>();
  for (const [id, ofOne] of groupBy(sendings, ({ conversationId }) => conversationId)) {
    const conversation = conversations.get(id);
    let left = conversation === undefined ? 0 : await roomIn(tx, conversation, ofOne.length);
    for (const sending of ofOne) {
      if (conversation === undefined) refusals.set(sending, noSuch("conversation"));
      else if (conversation.state === ConversationState.closed) refusals.set(sending, conversationClosed());
      else if (!sending.hasRoom) refusals.set(sending, agentQueueFull());
      else if (left === 0) refusals.set(sending, conversationQueueFull());
      else left -= 1;
    }
  }
  return refusals;
}
