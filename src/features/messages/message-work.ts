import type { Tx } from "../../database/unit-of-work";
import type { LaneWork, NextWork } from "../../delivery/lane-work";
import { finishMessages } from "./finish-messages";
import type { QueuedMessage } from "./gates";
import { countRejections, type RejectingLine } from "./rejections";
import { type Dependencies, startMessages } from "./start-messages";

/** The queued messages of lanes, in order, and when partially read lanes are due again. */
export interface Queues {
  queues: ReadonlyMap<string, readonly QueuedMessage[]>;
  next?: NextWork;
}

interface Options extends Dependencies {
  /** Reads the queued messages of lanes that the transaction has locked. */
  read(tx: Tx, laneIds: readonly string[]): Promise<Queues>;
  /** Called after the commit with lines that failed too many times in a row. */
  onRejecting(lines: readonly RejectingLine[]): void;
  /** Called after the commit with messages whose address does not exist. */
  onUndeliverable(messageIds: readonly string[]): void;
}

/** The work of lanes that hold messages. */
export const messageWork = ({ read, onRejecting, onUndeliverable, ...dependencies }: Options): LaneWork => ({
  start: async (tx, laneIds, context) => {
    const { queues, next } = await read(tx, laneIds);
    const inOrder = laneIds.flatMap((id) => {
      const queue = queues.get(id);
      return queue === undefined ? [] : [[id, queue] as const];
    });
    const due = await startMessages(tx, new Map(inOrder), dependencies, context);
    return next === undefined ? due : { ...due, next: new Map([...next, ...due.next]) };
  },
  finish: async (tx, ended, observer) => {
    await finishMessages(tx, ended, observer, dependencies.messageFailures);
    const held = ended.filter(({ isHeld }) => isHeld);
    const rejecting = await countRejections(tx, held);
    if (rejecting.length > 0) tx.afterCommit(() => onRejecting(rejecting));
    const undeliverable = held.flatMap(({ messageId, result }) =>
      "isUndeliverable" in result ? messageId : [],
    );
    if (undeliverable.length > 0) tx.afterCommit(() => onUndeliverable(undeliverable));
  },
});
