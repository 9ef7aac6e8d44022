import type { EntityManager } from "typeorm";
import { type Timestamp, timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { NextWork } from "../../delivery/deliverer";
import type { DeliveryObserver } from "../../delivery/observer";
import type { LineState } from "../lines/line.entity";
import { expiryOf, isHeld, outcomeOf, type QueuedMessage, storeOutcomes } from "./gates";

/** A queued message with what it leaves with. */
interface Row extends QueuedMessage {
  lineId: string | null;
  lineState: LineState | null;
  deactivatedAt: Timestamp | null;
}

/**
 * Sends messages outside of any conversation on the default line of their agent.
 * @param ids of messages whose lanes the transaction has locked
 * @returns when each message that stays queued expires
 */
export async function deliverMessages(
  tx: EntityManager,
  ids: readonly string[],
  observer: DeliveryObserver,
): Promise<NextWork> {
  const rows: Row[] = await tx.query(
    `select message.id, message.author, message.fence, message.expires_at as "expiresAt",
       message.held_reason as "heldReason", message.created_at as "createdAt", line.id as "lineId", line.state as "lineState",
       organization.deactivated_at as "deactivatedAt"
     from message
     join agent on agent.id = message.agent_id
     join organization on organization.id = agent.organization_id
     left join line on line.agent_id = message.agent_id and line.is_default
     where message.status = 'queued' and message.id in ${placeholders(1, ids.length)}`,
    [...ids],
  );
  const now = timestamp();
  const outcomes = rows.map((row) => {
    const { lineId: id, lineState: state, deactivatedAt } = row;
    const line = id === null || state === null ? undefined : { id, state };
    return [row, outcomeOf(row, { line, organizationIsActive: deactivatedAt === null }, now)] as const;
  });
  await storeOutcomes(tx, outcomes, now, observer);
  const held = outcomes.filter(([, outcome]) => isHeld(outcome));
  return new Map(held.map(([message]) => [message.id, expiryOf(message)]));
}
