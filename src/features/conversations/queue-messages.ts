import { timestamp } from "../../common/time";
import type { Change } from "../../database/change-together";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import type { Lanes } from "../../delivery/lanes";
import type { Line } from "../lines/line.entity";
import { queueFull } from "../messages/agent-queues";
import { type Draft, insertMessages } from "../messages/insert-messages";
import { EXPIRE_AFTER_MS, IS_UNSENT, Message } from "../messages/message.entity";
import { Conversation } from "./conversation.entity";
import { MAX_QUEUED } from "./conversation.limits";
import { lineById } from "./destination";

/** A message to queue in a conversation, or standalone if null. */
export type MessageToQueue = Pick<
  Draft,
  "agentId" | "text" | "author" | "decisionId" | "delayMs" | "answeredAddressId"
> & { conversation: Conversation | null };

/**
 * Queues messages in conversations that the transaction has locked or just opened, and standalone messages.
 * @param tx also holds the lock `MESSAGE_ORDER`
 * @returns the messages in the order of the drafts
 */
export const queueMessages = (tx: Tx, lanes: Lanes, drafts: readonly MessageToQueue[]): Promise<Message[]> =>
  queueTogether(tx, { lanes, drafts });

const queueTogether = coalesceInTx(
  async (tx: Tx, queued: readonly { lanes: Lanes; drafts: readonly MessageToQueue[] }[]) => {
    const drafts = queued.flatMap((each) => each.drafts);
    const conversations = [...new Set(drafts.flatMap(({ conversation }) => conversation ?? []))];
    const lineIds = [...new Set(conversations.map(({ lineId }) => lineId))];
    const lines = new Map(
      await Promise.all(lineIds.map(async (id) => [id, await lineById(tx, id)] as const)),
    );
    const messages = await insertMessages(
      tx,
      (queued[0] as (typeof queued)[number]).lanes,
      drafts.map(({ conversation, ...draft }) => {
        if (conversation === null) return { ...draft, expiresAfterMs: EXPIRE_AFTER_MS };
        conversation.lastSequence += 1;
        return {
          ...draft,
          expiresAfterMs: (lines.get(conversation.lineId) as Line).expireAfterSeconds * 1000,
          conversation: {
            conversationId: conversation.id,
            sequence: conversation.lastSequence,
            fence: conversation.version,
          },
        };
      }),
      sequencesOf(tx, conversations),
    );
    const rest = messages.values();
    return queued.map((each) => each.drafts.map(() => rest.next().value as Message));
  },
);

/**
 * How many messages fit into a conversation's queue, up to the wanted number.
 * @param canceled number of its messages that a dry run would cancel
 */
export async function roomIn(
  tx: Tx,
  { id, lastSequence }: Conversation,
  wanted: number,
  canceled = 0,
): Promise<number> {
  // A conversation with few messages always has room, which saves counting in most cases.
  if (lastSequence + wanted <= MAX_QUEUED) return wanted;
  const queued = await tx
    .createQueryBuilder(Message, "message")
    .where("message.conversation_id = :id", { id })
    .andWhere(`message.${IS_UNSENT}`)
    .getCount();
  return Math.min(Math.max(0, MAX_QUEUED - queued + canceled), wanted);
}

/** The error for a message in a conversation whose queue is full. */
export const conversationQueueFull = () =>
  queueFull(`A conversation has at most ${MAX_QUEUED} queued messages.`);

/** The change that stores the `lastSequence` of conversations. */
export function sequencesOf(tx: Tx, conversations: readonly Conversation[]): Change[] {
  const now = timestamp();
  for (const conversation of conversations) conversation.updatedAt = now;
  return updatesOf(tx, Conversation, conversations, ["lastSequence", "updatedAt"]);
}
