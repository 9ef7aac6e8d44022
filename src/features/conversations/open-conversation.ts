import { timestamp } from "../../common/time";
import { uuidAfter } from "../../common/uuid";
import type { Tx } from "../../database/unit-of-work";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { recordEvents } from "../events/record-events";
import type { Line } from "../lines/line.entity";
import { MESSAGE_ORDER } from "../messages/message.entity";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import { conversationEvent } from "./conversation-events";
import { openOn } from "./destination";
import { lockConversations } from "./own-conversation";

/**
 * Opens a conversation on a line with an address of a contact whose row the transaction has locked, or locks the one that
 * is open.
 */
export async function openConversation(
  tx: Tx,
  line: Line,
  address: ContactAddress,
): Promise<{ conversation: Conversation; created: boolean }> {
  // The lock of the contact keeps others from opening one meanwhile.
  const present = await openOn(tx, line, address);
  if (present === null) return { conversation: await insert(tx, line, address), created: true };
  const locked = await lockConversations(tx, [present.id]);
  return { conversation: locked.get(present.id) as Conversation, created: false };
}

async function insert(
  tx: Tx,
  line: Line,
  { id: addressId, agentId, contactId }: ContactAddress,
): Promise<Conversation> {
  // Conversations become visible in the order of their IDs, because clients page through them.
  await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
  const last = await tx
    .createQueryBuilder(Conversation, "conversation")
    .select("MAX(conversation.id)", "id")
    .where({ agentId })
    .getRawOne<{ id: string | null }>();
  const now = timestamp();
  const conversation = tx.create(Conversation, {
    id: uuidAfter(last?.id),
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
  });
  await tx
    .createQueryBuilder()
    .insert()
    .into(Conversation)
    .values(conversation as object)
    .updateEntity(false)
    .execute();
  recordEvents(tx, [conversationEvent("conversation.opened", conversation)]);
  return conversation;
}
