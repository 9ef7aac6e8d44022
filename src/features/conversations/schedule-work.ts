import { In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import { lockRows } from "../../database/lock-rows";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import { type LaneWork, LOCKED_MS } from "../../delivery/lane-work";
import type { Lanes } from "../../delivery/lanes";
import type { HookRegistry } from "../../schema/hooks";
import { recordEvents } from "../events/record-events";
import { laneOf } from "../messages/insert-messages";
import { Message } from "../messages/message.entity";
import { MessageError, MessageStatus } from "../messages/message.enums";
import { MESSAGES } from "../messages/message.metrics";
import { statusEvent, tellFailed } from "../messages/message-events";
import { MESSAGE_LANE } from "../messages/message-lanes";
import { Conversation } from "./conversation.entity";
import { sequencesOf, takePlaces } from "./queue-messages";

const CHANGED = [
  "status",
  "scheduledReason",
  "scheduledBy",
  "errorCode",
  "sequence",
  "updatedAt",
] as const satisfies (keyof Message)[];

const isProposed = ({ status }: Message): boolean => status === MessageStatus.proposed;

const QUEUED = { status: MessageStatus.queued, scheduledReason: null, scheduledBy: null };

const EXPIRED = { status: MessageStatus.failed, errorCode: MessageError.expired };

/**
 * Queues due scheduled messages at the end of their conversations, and fails expired proposals. Never waits for
 * locks on conversations and their lanes, because it already holds lanes.
 */
export const scheduleWork = (lanes: Lanes, hooks: HookRegistry): LaneWork => ({
  start: async (tx, laneIds, { observer }) => {
    const conversations = await lockConversationsOf(tx, laneIds);
    const busy = await lanes.lockFree(tx, [...conversations.keys()]);
    const now = timestamp();
    const next = new Map<string, Timestamp>();
    const due: Message[] = [];
    const messages = await tx.find(Message, {
      where: { id: In([...laneIds]), status: In([MessageStatus.scheduled, MessageStatus.proposed]) },
      order: { sendAt: "ASC", id: "ASC" },
    });
    for (const message of messages) {
      const { id, conversationId } = message;
      const dueAt = isProposed(message) ? message.expiresAt : message.sendAt;
      const isFree =
        conversationId === null || (conversations.has(conversationId) && !busy.has(conversationId));
      if (dueAt !== null && dueAt > now) next.set(id, dueAt);
      else if (isFree) due.push(message);
      else next.set(id, timestamp(LOCKED_MS));
    }
    if (due.length === 0) return { next, dispatches: [], waiting: [] };
    for (const message of due)
      Object.assign(message, { ...(isProposed(message) ? EXPIRED : QUEUED), updatedAt: now });
    const queued = due.filter(({ status }) => status === MessageStatus.queued);
    const expired = due.filter(({ status }) => status === MessageStatus.failed);
    const others = due.filter(({ conversationId }) => conversationId !== null);
    const changed = [...groupBy(others, ({ conversationId }) => conversationId)].flatMap(([id, ofOne]) => {
      const conversation = conversations.get(id ?? "");
      if (conversation === undefined) return [];
      takePlaces(conversation, ofOne);
      return [conversation];
    });
    await changeTogether(tx, [
      ...updatesOf(tx, Message, due, CHANGED),
      ...sequencesOf(tx, changed),
      ...lanes.adding(tx, queued.filter(({ conversationId }) => conversationId !== null).map(laneOf)),
    ]);
    // A standalone message is sent from the lane that scheduled it.
    const kept = queued.flatMap(({ id, conversationId }) => (conversationId === null ? id : []));
    if (kept.length > 0) await lanes.become(tx, kept, MESSAGE_LANE);
    for (const id of kept) next.set(id, now);
    recordEvents(tx, due.map(statusEvent));
    observer.count(MESSAGES, [MessageStatus.queued], queued.length);
    observer.count(MESSAGES, [MessageStatus.failed], expired.length);
    await tellFailed(tx, hooks, expired);
    return { next, dispatches: [], waiting: [] };
  },
  finish: async () => undefined,
});

/** Locks the conversations of scheduled and proposed messages, except conversations locked by other transactions. */
const lockConversationsOf = (tx: Tx, messageIds: readonly string[]): Promise<Map<string, Conversation>> =>
  lockRows(
    tx,
    tx
      .createQueryBuilder(Conversation, "conversation")
      .where(
        "conversation.id IN (SELECT message.conversation_id FROM message WHERE message.id IN (:...messageIds))",
        { messageIds },
      ),
    { skipLocked: true },
  );
