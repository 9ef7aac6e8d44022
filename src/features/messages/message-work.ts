import type { Tx } from "../../database/unit-of-work";
import type { LaneWork, NextWork } from "../../delivery/lane-work";
import { finishMessages } from "./finish-messages";
import type { Waiting } from "./gates";
import { countRejections } from "./rejections";
import { type Means, startMessages } from "./start-messages";

/** The waiting messages of lanes, each lane's in their order, and when lanes that were not read as a whole are due again. */
export interface Queues {
  queues: ReadonlyMap<string, readonly Waiting[]>;
  next?: NextWork;
}

interface Options extends Means {
  /** Reads the waiting messages of lanes whose locks the transaction holds. */
  read(tx: Tx, laneIds: readonly string[]): Promise<Queues>;
  /** Called after the commit with lines whose receivers rejected too many messages in a row. */
  onRejecting(lineIds: readonly string[]): void;
}

/** The work of lanes that hold messages. */
export const messageWork = ({ read, onRejecting, ...means }: Options): LaneWork => ({
  start: async (tx, laneIds, around) => {
    const { queues, next } = await read(tx, laneIds);
    const inOrder = laneIds.flatMap((id) => {
      const queue = queues.get(id);
      return queue === undefined ? [] : [[id, queue] as const];
    });
    const due = await startMessages(tx, new Map(inOrder), means, around);
    return next === undefined ? due : { ...due, next: new Map([...next, ...due.next]) };
  },
  finish: async (tx, ended, observer) => {
    await finishMessages(tx, ended, observer, means.messageFailures);
    const held = ended.filter(({ isHeld }) => isHeld);
    const rejecting = await countRejections(tx, held);
    if (rejecting.length > 0) tx.afterCommit(() => onRejecting(rejecting));
  },
});
