import type { Tx } from "../../database/unit-of-work";
import type { LaneWork } from "../../delivery/lane-work";
import { finishMessages } from "./finish-messages";
import type { Queues } from "./gates";
import type { Receipts } from "./receipts";
import type { Rejections } from "./rejections";
import { type Dependencies, startMessages } from "./start-messages";

interface Services extends Dependencies {
  receipts: Receipts;
  rejections: Rejections;
}

/**
 * Returns the handler for lanes that hold messages.
 * @param read reads the queued messages for lanes that the transaction has locked
 */
export const messageWork = (
  read: (tx: Tx, laneIds: readonly string[]) => Promise<Queues>,
  services: Services,
): LaneWork => ({
  start: async (tx, laneIds, context) => {
    const { queues, next } = await read(tx, laneIds);
    const inOrder = laneIds.flatMap((id) => {
      const queue = queues.get(id);
      return queue === undefined ? [] : [[id, queue] as const];
    });
    const due = await startMessages(tx, new Map(inOrder), services, context);
    // A message that was not read may expire before the first message can be sent.
    return next === undefined ? due : { ...due, next: new Map([...due.next, ...next]) };
  },
  finish: async (tx, ended, observer) => {
    await finishMessages(tx, ended, observer, services.hooks);
    const held = ended.filter(({ isHeld }) => isHeld);
    if (held.length > 0) tx.afterCommit(() => services.rejections.count(held));
    const undeliverable = held.flatMap(({ messageId, result }) =>
      "isUndeliverable" in result ? messageId : [],
    );
    if (undeliverable.length > 0) tx.afterCommit(() => services.receipts.markUndeliverable(undeliverable));
  },
});
