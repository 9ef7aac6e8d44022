import type { Timestamp } from "../../common/time";
import { allReturning, padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { WorkObserver } from "../../delivery/observer";
import { SCHEDULE_LANE } from "../../delivery/wake-lanes";
import { recordEvents } from "../events/record-events";
import type { QueuedMessage } from "./gates";
import { laneOf } from "./insert-messages";
import type { Message } from "./message.entity";
import { MessageStatus } from "./message.enums";
import { MESSAGES } from "./message.metrics";
import { statusEvent, TOLD, type Told } from "./message-events";
import type { Rescheduled } from "./policy-gates";

/**
 * Reschedules queued messages with locked lanes; they lose their positions and move to separate lanes.
 * @returns the standalone messages, and when their lanes are next due
 */
export async function reschedule(
  tx: Tx,
  lanes: Lanes,
  messages: readonly (readonly [QueuedMessage, Rescheduled])[],
  now: Timestamp,
  observer: WorkObserver,
): Promise<ReadonlyMap<string, Timestamp>> {
  const standalone = new Map<string, Timestamp>();
  if (messages.length === 0) return standalone;
  const rows = padded(messages);
  const stored = await allReturning<Told & Pick<Message, "sendAt">>(
    tx,
    `with later (id, send_at, reason, path, expires_at) as (values ${placeholders(rows.length, 5)})
     update message set status = '${MessageStatus.scheduled}', sequence = null, send_at = later.send_at,
       scheduled_reason = later.reason, scheduled_by = later.path, expires_at = later.expires_at, held_reason = null,
       not_before = null, updated_at = $${rows.length * 5 + 1}
     from later where message.id = later.id
     returning ${TOLD}, message.send_at as "sendAt", message.scheduled_reason as "scheduledReason",
       message.scheduled_by as "scheduledBy"`,
    [
      ...rows.flatMap(([{ id }, { sendAt, scheduledReason, scheduledBy, expiresAt }]) => [
        ...[id, sendAt, scheduledReason, scheduledBy, expiresAt],
      ]),
      now,
    ],
  );
  const [alone = [], others = []] = [true, false].map((isAlone) =>
    stored.filter(({ conversationId }) => (conversationId === null) === isAlone),
  );
  for (const { id, sendAt } of alone) standalone.set(id, sendAt ?? now);
  if (alone.length > 0) await lanes.become(tx, [...standalone.keys()], SCHEDULE_LANE);
  await lanes.add(tx, others.map(laneOf));
  const inOrder = new Map(messages.map(([{ id }], i) => [id, i]));
  stored.sort((a, b) => (inOrder.get(a.id) ?? 0) - (inOrder.get(b.id) ?? 0));
  recordEvents(tx, stored.map(statusEvent));
  observer.count(MESSAGES, [MessageStatus.scheduled], stored.length);
  return standalone;
}
