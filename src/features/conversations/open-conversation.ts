import { timestamp } from "../../common/time";
import type { Change } from "../../database/change-together";
import { coalesceInTx, settled } from "../../database/coalesce-in-tx";
import { insertAll } from "../../database/insert-all";
import { nextIds } from "../../database/next-ids";
import type { Tx } from "../../database/unit-of-work";
import { recordEvents } from "../events/record-events";
import { lockMessageOrder } from "../messages/message.entity";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import { conversationEvent } from "./conversation-events";
import { lockConversations, openAt, type Place } from "./find-conversation";
import { sequencesOf } from "./queue-messages";

/**
 * A place, and the number of messages to store there (0 by default). `needsReply` matters only while a human
 * handles the conversation.
 */
type OpenedPlace = Place & { messages?: number; needsReply?: boolean };

/** Locks the open conversation for a line and address, or opens one. */
export async function openConversation(
  tx: Tx,
  place: Place,
): Promise<{ conversation: Conversation; created: boolean }> {
  const present = await lockOpen(tx, place);
  if (present !== null) return { conversation: present, created: false };
  return { conversation: await insertConversation(tx, place), created: true };
}

/**
 * Locks the open conversation for each place, or opens one, so that messages can be added.
 * @returns the conversations, with the messages in `lastSequence`, and the SQL that stores it for existing ones
 */
export async function openConversations(
  tx: Tx,
  places: readonly (OpenedPlace & { messages: number })[],
): Promise<{ conversations: Conversation[]; sequences: Change[] }> {
  const open = await lockConversations(tx, [], places);
  const lines = places.map(({ line }) => line);
  await lockMessageOrder(tx, lines);
  const present: Conversation[] = [];
  const conversations = await settled(
    places.map((place) => {
      const conversation = openAt(open, place);
      if (conversation === null) return insertConversation(tx, place);
      conversation.lastSequence += place.messages;
      if (place.needsReply && conversation.handler === Handler.human)
        conversation.waitingSince ??= timestamp();
      present.push(conversation);
      return Promise.resolve(conversation);
    }),
  );
  return { conversations, sequences: sequencesOf(tx, present) };
}

/** Locks and returns the open conversation for a line and address; null if there is none. */
export const lockOpen = coalesceInTx(async (tx: Tx, places: readonly Place[]) => {
  const conversations = await lockConversations(tx, [], places);
  return places.map((place) => openAt(conversations, place));
});

/** Opens a conversation for a line and address that have no open conversation. */
export const insertConversation = coalesceInTx(async (tx: Tx, places: readonly OpenedPlace[]) => {
  const addresses = places.map(({ address }) => address);
  // Conversations become visible in ID order, because clients page through them.
  await lockMessageOrder(tx, addresses);
  const nextId = await nextIds(tx, "conversation", addresses);
  const now = timestamp();
  const conversations = places.map((place) => {
    const { line, contact, messages = 0, needsReply = false } = place;
    const { id: addressId, agentId, contactId } = place.address;
    const humanAt = contact.handedOffAt;
    return tx.create(Conversation, {
      id: nextId(agentId),
      agentId,
      contactId,
      addressId,
      lineId: line.id,
      state: ConversationState.open,
      handler: humanAt === null ? Handler.agent : Handler.human,
      humanAt,
      waitingSince: needsReply && humanAt !== null ? now : null,
      assigneeId: null,
      version: 1,
      lastSequence: messages,
      createdAt: now,
      updatedAt: now,
    });
  });
  await insertAll(tx, Conversation, conversations);
  recordEvents(
    tx,
    conversations.map((conversation) => conversationEvent("conversation.opened", conversation)),
  );
  return conversations;
});
