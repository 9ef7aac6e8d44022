import { In } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { agentCaller, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { groupBy } from "../../common/group-by";
import type { Timestamp } from "../../common/time";
import { accepted } from "../../database/coalesce-in-tx";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, noSuch } from "../../errors";
import { type KeyedRequest, onceEach } from "../../idempotency/idempotency";
import { assertKeysAccepted } from "../api-keys/assert-accepted";
import { type AgentQueues, acceptedAs, agentQueueFull } from "../messages/agent-queues";
import { asAccepted, laterTime } from "../messages/insert-messages";
import { MESSAGE_ORDER, Message } from "../messages/message.entity";
import { MessageAuthor } from "../messages/message.enums";
import type { SendMessageInput } from "../messages/message.inputs";
import { type Conversation, ConversationState } from "./conversation.entity";
import type { SendToConversationInput } from "./conversation.inputs";
import type { DefaultConversations } from "./default-conversations";
import {
  conversationClosed,
  idempotencyScope,
  lockConversations,
  openAt,
  type Place,
} from "./find-conversation";
import { insertConversation } from "./open-conversation";
import { conversationQueueFull, queueMessages, roomIn } from "./queue-messages";

interface Sending {
  context: RequestContext;
  /** The conversation's ID; null for the agent's default contact, if it has one. */
  conversationId: string | null;
  text: string;
  /** When to queue the message; undefined to queue it immediately. */
  sendAt: Timestamp | undefined;
  /** True if the agent's queue has room for the message. */
  hasRoom: boolean;
}

/** A message and its locked conversation, which is null for a standalone message. */
type Placed = Pick<Sending, "context" | "text" | "sendAt" | "hasRoom"> & {
  conversation: Conversation | null;
};

type KeyedSending = KeyedRequest & { sending: Sending };

/** Queues messages from callers; concurrent calls share a transaction. */
export class MessageQueue {
  private readonly add: (sending: KeyedSending) => Promise<Message>;

  constructor(
    database: Database,
    private readonly lanes: Lanes,
    private readonly agentQueues: AgentQueues,
    private readonly defaults: DefaultConversations,
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
          // A retry returns the original response, even if the message has been delivered since.
          find: async (ids) => (await tx.findBy(Message, { id: In([...ids]) })).map(asAccepted),
          idOf: ({ id }) => id,
        }),
    );
  }

  /**
   * Queues a message for the caller's agent.
   * @returns the message as accepted, even for a retry with the same idempotency key
   * @throws GatewayError `queue_full`, `idempotency_key_reused`
   */
  async send(
    context: RequestContext,
    { text, idempotencyKey: key, ...input }: SendMessageInput,
  ): Promise<Message> {
    const sendAt = laterTime(input.sendAt);
    const hasRoom = await this.agentQueues.take(agentCaller(context).agent.id, {
      status: acceptedAs({ sendAt }),
    });
    const scope = idempotencyScope("sendMessage", context);
    return this.add({
      scope,
      key,
      // The same shape as in 1.0.0, so that retries of requests to 1.0.0 still match.
      request: { message: text, sendAt: input.sendAt?.toISOString() },
      answer: context.answer,
      sending: { context, conversationId: null, text, sendAt, hasRoom },
    });
  }

  /**
   * Queues a message in a conversation of the caller's agent or organization.
   * @param room when to queue the message (undefined for now), and whether the agent's queue has room
   * @returns the message as accepted, even for a retry with the same idempotency key
   * @throws GatewayError `not_found`, `conflict` if closed, `queue_full`, `idempotency_key_reused`
   */
  sendTo(
    context: RequestContext,
    { id: conversationId, text, sendAt, idempotencyKey: key }: SendToConversationInput,
    room: Pick<Sending, "sendAt" | "hasRoom">,
  ): Promise<Message> {
    const scope = idempotencyScope("sendToConversation", context);
    const request = { conversationId, text, sendAt: sendAt?.toISOString() };
    const { answer } = context;
    return this.add({ scope, key, request, answer, sending: { context, conversationId, text, ...room } });
  }

  /**
   * Queues messages in conversations that the transaction has locked or just opened.
   * @param placed messages of authorized callers to queue, or rejections to pass through
   * @returns each message as accepted, or its rejection: `conflict` if closed, or `queue_full`
   * @throws GatewayError if an API key is no longer accepted
   */
  async queue(tx: Tx, placed: readonly (Placed | GatewayError)[]): Promise<(Message | GatewayError)[]> {
    const checked = await checkEach(tx, placed);
    const ready = accepted(checked);
    if (ready.length === 0) return checked as GatewayError[];
    await tx.lockInsertOrder(MESSAGE_ORDER, ready.map(agentIdOf));
    const keys = ready.flatMap(({ context: { caller } }) => (caller.kind === "agent" ? caller.key.id : []));
    if (keys.length > 0) await assertKeysAccepted(tx, keys);
    const drafts = ready.map((each) => {
      const { context, conversation, text, sendAt } = each;
      const { caller } = context;
      const author = caller.kind === "agent" ? MessageAuthor.api : MessageAuthor.member;
      const memberId = caller.kind === "member" ? caller.id : undefined;
      return { agentId: agentIdOf(each), conversation, text, author, memberId, sendAt };
    });
    const messages = (await queueMessages(tx, this.lanes, drafts)).values();
    return checked.map((each) => (each instanceof GatewayError ? each : (messages.next().value as Message)));
  }

  private async insert(tx: Tx, sendings: readonly Sending[]): Promise<(Message | GatewayError)[]> {
    await assertMembersSignedIn(tx, sendings);
    const unnamed = sendings.filter(({ conversationId, hasRoom }) => conversationId === null && hasRoom);
    const places = await this.defaults.lockPlaces(
      tx,
      unnamed.map(({ context }) => agentCaller(context).agent.id),
    );
    const ids = sendings.flatMap(({ conversationId }) => conversationId ?? []);
    const locked = await lockConversations(tx, ids, [...places.values()]);
    const conversationOf = ({ conversationId, context }: Sending): Conversation | null | undefined => {
      if (conversationId !== null) return locked.get(conversationId);
      const place = places.get(agentCaller(context).agent.id);
      return place === undefined ? null : openAt(locked, place);
    };
    const placed = sendings.map((sending): Placed | GatewayError => {
      const conversation = conversationOf(sending);
      return conversation === undefined ? noSuch("conversation") : { ...sending, conversation };
    });
    await openEach(tx, accepted(placed), places);
    return this.queue(tx, placed);
  }
}

const agentIdOf = ({ context, conversation }: Placed): string =>
  conversation?.agentId ?? agentCaller(context).agent.id;

/** Opens missing default conversations, after existing ones have been locked. */
async function openEach(
  tx: Tx,
  placed: readonly Placed[],
  places: ReadonlyMap<string, Place>,
): Promise<void> {
  const joining = placed.filter((each) => each.conversation === null && places.has(agentIdOf(each)));
  if (joining.length === 0) return;
  await tx.lockInsertOrder(MESSAGE_ORDER, placed.map(agentIdOf));
  await Promise.all(
    [...groupBy(joining, agentIdOf)].map(async ([agentId, ofAgent]) => {
      const conversation = await insertConversation(tx, places.get(agentId) as Place);
      for (const each of ofAgent) each.conversation = conversation;
    }),
  );
}

/** Checks sessions in a fixed order, so that batches do not deadlock. */
async function assertMembersSignedIn(tx: Tx, sendings: readonly Sending[]): Promise<void> {
  const sessions = new Map(
    sendings.flatMap(({ context }) =>
      context.caller.kind === "member" ? [[context.caller.sessionId, context] as const] : [],
    ),
  );
  for (const [, context] of [...sessions].sort(([a], [b]) => (a < b ? -1 : 1)))
    await assertSignedIn(tx, context, { permission: Permission.conversations_write });
}

/** Rejects messages that cannot be queued, in order of arrival: the first ones use the remaining room. */
async function checkEach(
  tx: Tx,
  placed: readonly (Placed | GatewayError)[],
): Promise<(Placed | GatewayError)[]> {
  const rooms = new Map<Conversation, number>();
  for (const [conversation, ofOne] of groupBy(accepted(placed), (each) => each.conversation)) {
    if (conversation === null) continue;
    const schedules = ofOne.some(({ sendAt }) => sendAt !== undefined);
    rooms.set(conversation, await roomIn(tx, conversation, ofOne.length, { schedules }));
  }
  return placed.map((each) => {
    if (each instanceof GatewayError) return each;
    const { conversation, sendAt, hasRoom } = each;
    if (conversation?.state === ConversationState.closed) return conversationClosed();
    if (!hasRoom) return agentQueueFull(acceptedAs({ sendAt }));
    if (conversation === null) return each;
    const left = rooms.get(conversation) ?? 0;
    if (left === 0) return conversationQueueFull();
    rooms.set(conversation, left - 1);
    return each;
  });
}
