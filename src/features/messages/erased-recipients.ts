import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";

/** Returns the IDs of messages to erased contacts. Errors may quote these messages, so they must not be stored. */
export async function toErased(tx: Tx, messageIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (messageIds.length === 0) return new Set();
  const ids = padded(messageIds);
  const rows: { id: string }[] = await tx.query(
    `select message.id from message
     join conversation on conversation.id = message.conversation_id
     join contact on contact.id = conversation.contact_id and contact.erased_at is not null
     where message.id in ${placeholders(1, ids.length)}`,
    ids,
  );
  return new Set(rows.map(({ id }) => id));
}
