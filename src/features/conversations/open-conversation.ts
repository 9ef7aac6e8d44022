import { timestamp } from "../../common/time";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import { insertAll } from "../../database/insert-all";
import { nextIds } from "../../database/next-ids";
import type { Tx } from "../../database/unit-of-work";
import { recordEvents } from "../events/record-events";
import { MESSAGE_ORDER } from "../messages/message.entity";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import { conversationEvent } from "./conversation-events";
import { lockConversations, openAt, type Place } from "./find-conversation";

/** Locks the conversation that is open at a place, or opens one. */
export async function openConversation(
  tx: Tx,
  place: Place,
): Promise<{ conversation: Conversation; created: boolean }> {
  const present = await lockOpen(tx, place);
  if (present !== null) return { conversation: present, created: false };
  return { conversation: await insertConversation(tx, place), created: true };
}

/** Locks the conversation that is open at a place; null without one. */
export const lockOpen = coalesceInTx(async (tx: Tx, places: readonly Place[]) => {
  const conversations = await lockConversations(tx, [], places);
  return places.map((place) => openAt(conversations, place));
});

/** Opens a conversation at a place that has none. */
export const insertConversation = coalesceInTx(async (tx: Tx, places: readonly Place[]) => {
  const agentIds = places.map(({ address }) => address.agentId);
  // Conversations become visible in the order of their IDs, because clients page through them.
  await tx.lockInsertOrder(MESSAGE_ORDER, agentIds);
  const nextId = await nextIds(tx, "conversation", agentIds);
  const now = timestamp();
  const conversations = places.map(({ line, address: { id: addressId, agentId, contactId } }) =>
    tx.create(Conversation, {
      id: nextId(agentId),
      agentId,
      contactId,
      addressId,
      lineId: line.id,
      state: ConversationState.open,
      handler: Handler.agent,
      version: 1,
      lastSequence: 0,
      createdAt: now,
      updatedAt: now,
    }),
  );
  await insertAll(tx, Conversation, conversations);
  recordEvents(
    tx,
    conversations.map((conversation) => conversationEvent("conversation.opened", conversation)),
  );
  return conversations;
});
