import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { ALL_TOPICS } from "../contacts/consent.entity";
import type { Withdrawn } from "../contacts/consents";
import { IS_UNPLACED, IS_UNSENT } from "../messages/message.entity";
import { MessageAuthor, MessageError } from "../messages/message.enums";
import { cancelQueued } from "./cancel-messages";
import { Conversation, ConversationState } from "./conversation.entity";
import { lockConversations } from "./find-conversation";

/**
 * Cancels waiting messages that locked contacts have opted out of, after waiting for deliveries in their
 * conversations, so that none of the messages is sent afterwards.
 */
export const cancelWithdrawn =
  (lanes: Lanes) =>
  async (tx: Tx, withdrawn: readonly Withdrawn[]): Promise<void> => {
    const addressIds = withdrawn.map(({ id }) => id);
    const locked = await lockConversations(tx, await withMessagesTo(tx, addressIds));
    for (const conversation of locked.values()) {
      const topics = new Set(
        withdrawn.flatMap(({ id, topic }) => (id === conversation.addressId ? topic : [])),
      );
      await cancelQueued(tx, lanes, conversation, {
        isMeant: ({ author, topic }) =>
          author !== MessageAuthor.system && (topics.has(ALL_TOPICS) || topics.has(topic ?? ALL_TOPICS)),
        errorCode: MessageError.opted_out,
      });
    }
  };

/** Returns the IDs of the addresses' conversations that are open or have waiting messages. */
export async function withMessagesTo(tx: Tx, addressIds: readonly string[]): Promise<string[]> {
  const waiting = (condition: string) =>
    `EXISTS (SELECT 1 FROM message WHERE message.conversation_id = conversation.id AND message.${condition})`;
  const found = await tx
    .createQueryBuilder(Conversation, "conversation")
    .select("conversation.id")
    .where("conversation.address_id IN (:...ids)", { ids: [...new Set(addressIds)] })
    .andWhere(
      `(conversation.state = '${ConversationState.open}' OR ${waiting(IS_UNSENT)} OR ${waiting(IS_UNPLACED)})`,
    )
    .getMany();
  return found.map(({ id }) => id);
}
