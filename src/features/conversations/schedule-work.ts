import { In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import { lockRows } from "../../database/lock-rows";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import type { LaneWork } from "../../delivery/lane-work";
import type { Lanes } from "../../delivery/lanes";
import { recordEvents } from "../events/record-events";
import { laneOf } from "../messages/insert-messages";
import { Message } from "../messages/message.entity";
import { MessageStatus } from "../messages/message.enums";
import { MESSAGES } from "../messages/message.metrics";
import { messageEvent } from "../messages/message-events";
import { MESSAGE_LANE } from "../messages/message-lanes";
import { Conversation } from "./conversation.entity";
import { sequencesOf, takePlaces } from "./queue-messages";

const QUEUED = { status: MessageStatus.queued, scheduledReason: null, scheduledBy: null };

/** How soon to try again if another transaction holds the conversation (ms). */
const LOCKED_MS = 250;

/**
 * Queues scheduled messages that are due: each takes the next place in its conversation, whose lane then asks all gates.
 * Takes only free locks of conversations and their lanes, because it already holds lanes.
 */
export const scheduleWork = (lanes: Lanes): LaneWork => ({
  start: async (tx, laneIds, { observer }) => {
    const conversations = await lockConversationsOf(tx, laneIds);
    const busy = await lanes.lockFree(tx, [...conversations.keys()]);
    const now = timestamp();
    const next = new Map<string, Timestamp>();
    const due: Message[] = [];
    const messages = await tx.find(Message, {
      where: { id: In([...laneIds]), status: MessageStatus.scheduled },
      order: { sendAt: "ASC", id: "ASC" },
    });
    for (const message of messages) {
      const { id, sendAt, conversationId } = message;
      const isFree =
        conversationId === null || (conversations.has(conversationId) && !busy.has(conversationId));
      if (sendAt !== null && sendAt > now) next.set(id, sendAt);
      else if (isFree) due.push(message);
      else next.set(id, timestamp(LOCKED_MS));
    }
    if (due.length === 0) return { next, dispatches: [], waiting: [] };
    for (const message of due) Object.assign(message, { ...QUEUED, updatedAt: now });
    const standalone = due.filter(({ conversationId }) => conversationId === null);
    const others = due.filter(({ conversationId }) => conversationId !== null);
    const changed = [...groupBy(others, ({ conversationId }) => conversationId)].flatMap(([id, ofOne]) => {
      const conversation = conversations.get(id ?? "");
      if (conversation === undefined) return [];
      takePlaces(conversation, ofOne);
      return [conversation];
    });
    await changeTogether(tx, [
      ...updatesOf(tx, Message, due, ["status", "scheduledReason", "scheduledBy", "sequence", "updatedAt"]),
      ...sequencesOf(tx, changed),
      ...lanes.adding(tx, others.map(laneOf)),
    ]);
    // A standalone message is sent from the lane that scheduled it.
    const kept = standalone.map(({ id }) => id);
    if (kept.length > 0) await lanes.become(tx, kept, MESSAGE_LANE);
    for (const id of kept) next.set(id, now);
    recordEvents(
      tx,
      due.map((message) => messageEvent("message.queued", message)),
    );
    observer.count(MESSAGES, [MessageStatus.queued], due.length);
    return { next, dispatches: [], waiting: [] };
  },
  finish: async () => undefined,
});

/** Locks the conversations of scheduled messages, except those locked by other transactions. */
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
