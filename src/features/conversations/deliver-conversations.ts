import { type EntityManager, In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import type { NextWork } from "../../delivery/deliverer";
import { ContactAddress } from "../contacts/contact-address.entity";
import {
  expiryOf,
  isHeld,
  type Outcome,
  outcomeOf,
  type Surroundings,
  storeOutcomes,
} from "../messages/gates";
import { Message, MessageStatus } from "../messages/message.entity";
import { Conversation, Handler } from "./conversation.entity";

/** Max messages of a transaction, because changes of their conversations wait for its commit. */
const MAX_MESSAGES = 500;

/**
 * Sends the queued messages of conversations on their lines, each in its order: a message that is held back holds back
 * those behind it.
 * @param ids of conversations whose lanes the transaction has locked
 * @returns when each conversation that keeps queued messages is due again
 */
export async function deliverConversations(tx: EntityManager, ids: readonly string[]): Promise<NextWork> {
  const messages = await tx.find(Message, {
    where: { conversationId: In([...ids]), status: MessageStatus.queued },
    order: { conversationId: "ASC", sequence: "ASC" },
    take: MAX_MESSAGES,
  });
  const queues = groupBy(messages, ({ conversationId }) => conversationId as string);
  const surroundings = await surroundingsOf(tx, [...queues.keys()]);
  const now = timestamp();
  const next = new Map<string, Timestamp>();
  const outcomes: (readonly [Message, Outcome])[] = [];
  for (const [id, queue] of queues) {
    for (const message of queue) {
      const outcome = outcomeOf(message, surroundings.get(id) as Surroundings, now);
      outcomes.push([message, outcome]);
      if (!isHeld(outcome)) continue;
      next.set(id, expiryOf(message));
      break;
    }
  }
  await storeOutcomes(tx, outcomes, now);
  if (messages.length === MAX_MESSAGES) {
    const [last] = messages.slice(-1).map(({ conversationId }) => conversationId as string);
    // The limit may have cut off the queue of the last one, and those of all after it.
    for (const id of ids) if (!next.has(id) && (id === last || !queues.has(id))) next.set(id, now);
  }
  return next;
}

async function surroundingsOf(tx: EntityManager, ids: string[]): Promise<Map<string, Surroundings>> {
  if (ids.length === 0) return new Map();
  const conversations = await tx.find(Conversation, {
    where: { id: In(ids) },
    relations: { line: true, agent: { organization: true } },
  });
  const addresses = await tx.findBy(ContactAddress, {
    id: In(conversations.map(({ addressId }) => addressId)),
  });
  const byId = new Map(addresses.map((address) => [address.id, address]));
  return new Map(
    conversations.map(({ id, line, agent, version, handler, addressId }) => {
      const address = byId.get(addressId);
      return [
        id,
        {
          line,
          organizationIsActive: agent?.organization?.deactivatedAt === null,
          conversation: {
            version,
            isHandledByHuman: handler === Handler.human,
            address: address && { isOptedOut: address.optedOutAt !== null },
          },
        },
      ];
    }),
  );
}
