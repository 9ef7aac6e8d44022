import type { EntityManager } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { NextWork } from "../../delivery/deliverer";
import type { DeliveryObserver } from "../../delivery/observer";
import type { LineState } from "../lines/line.entity";
import {
  expiryOf,
  isHeld,
  type Outcome,
  outcomeOf,
  type QueuedMessage,
  storeOutcomes,
} from "../messages/gates";
import { IS_UNSENT, MessageStatus } from "../messages/message.entity";
import { Handler } from "./conversation.entity";

/** Max messages of a transaction, because changes of their conversations wait for its commit. */
const MAX_MESSAGES = 500;

/** A queued message with its conversation and what it leaves with. */
interface Row extends QueuedMessage {
  conversationId: string;
  version: number;
  handler: Handler;
  lineId: string;
  lineState: LineState;
  addressId: string | null;
  optedOutAt: Timestamp | null;
  deactivatedAt: Timestamp | null;
}

/**
 * Sends the queued messages of conversations on their lines, each in its order: a message that is held back holds back
 * those behind it.
 * @param ids of conversations whose lanes the transaction has locked
 * @returns when each conversation that keeps queued messages is due again
 */
export async function deliverConversations(
  tx: EntityManager,
  ids: readonly string[],
  observer: DeliveryObserver,
): Promise<NextWork> {
  const rows: Row[] = await tx.query(
    `select message.id, message.author, message.fence, message.expires_at as "expiresAt",
       message.held_reason as "heldReason", message.created_at as "createdAt", conversation.id as "conversationId", conversation.version,
       conversation.handler, line.id as "lineId", line.state as "lineState", contact_address.id as "addressId",
       contact_address.opted_out_at as "optedOutAt", organization.deactivated_at as "deactivatedAt"
     from message
     join conversation on conversation.id = message.conversation_id
     join line on line.id = conversation.line_id
     join agent on agent.id = conversation.agent_id
     join organization on organization.id = agent.organization_id
     left join contact_address on contact_address.id = conversation.address_id
     where message.${IS_UNSENT} and message.status = 'queued' and message.conversation_id in ${placeholders(1, ids.length)}
     order by message.conversation_id, message.sequence
     limit ${MAX_MESSAGES}`,
    [...ids],
  );
  const queues = groupBy(rows, ({ conversationId }) => conversationId);
  const now = timestamp();
  const next = new Map<string, Timestamp>();
  const outcomes: (readonly [Row, Outcome])[] = [];
  for (const [id, queue] of queues) {
    let isHeldBack = false;
    for (const row of queue) {
      const outcome = outcomeOf(row, surroundingsOf(row), now);
      // What waits behind a message that is held back can only be given up.
      if (isHeldBack && outcome.status === MessageStatus.delivered) {
        next.set(id, earlier(next.get(id), expiryOf(row)));
        continue;
      }
      outcomes.push([row, outcome]);
      if (!isHeld(outcome)) continue;
      isHeldBack = true;
      next.set(id, earlier(next.get(id), expiryOf(row)));
    }
  }
  await storeOutcomes(tx, outcomes, now, observer);
  if (rows.length === MAX_MESSAGES) {
    const last = rows.at(-1)?.conversationId;
    // The limit may have cut off the queue of the last one, and those of all after it.
    for (const id of ids) if (!next.has(id) && (id === last || !queues.has(id))) next.set(id, now);
  }
  return next;
}

const earlier = (one: Timestamp | undefined, other: Timestamp): Timestamp =>
  one !== undefined && one < other ? one : other;

const surroundingsOf = ({
  version,
  handler,
  lineId,
  lineState,
  addressId,
  optedOutAt,
  deactivatedAt,
}: Row) => ({
  line: { id: lineId, state: lineState },
  organizationIsActive: deactivatedAt === null,
  conversation: {
    version,
    isHandledByHuman: handler === Handler.human,
    address: addressId === null ? undefined : { isOptedOut: optedOutAt !== null },
  },
});
