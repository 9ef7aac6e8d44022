import type { EntityManager } from "typeorm";
import { timestamp } from "../../common/time";
import { allReturning } from "../../database/returning";
import type { Ended, LaneWork, NextWork } from "../../delivery/lane-work";
import { finishMessages } from "./finish-messages";
import type { Waiting } from "./gates";
import { IS_UNSENT } from "./message.entity";
import { countRejections } from "./rejections";
import { type Means, startMessages } from "./start-messages";

/** The waiting messages of lanes, each lane's in their order, and when lanes that were not read as a whole are due again. */
export interface Queues {
  queues: ReadonlyMap<string, readonly Waiting[]>;
  next?: NextWork;
}

interface Options extends Means {
  /** Reads the waiting messages of lanes whose locks the transaction holds. */
  read(tx: EntityManager, laneIds: readonly string[]): Promise<Queues>;
  /** The column of a message that is the ID of its lane. */
  laneColumn: "id" | "conversation_id";
  /** Called after the commit with lines whose receivers refused too many messages in a row. */
  onRejecting(lineIds: readonly string[]): void;
}

/** The work of lanes that hold messages. */
export const messageWork = ({ read, laneColumn, onRejecting, ...means }: Options): LaneWork => ({
  start: async (tx, laneIds, around) => {
    const { queues, next } = await read(tx, laneIds);
    const due = await startMessages(tx, queues, means, around);
    return next === undefined ? due : { ...due, next: new Map([...next, ...due.next]) };
  },
  finish: async (tx, ended, observer) => {
    await finishMessages(tx, ended, observer);
    const held = ended.filter(({ isHeld }) => isHeld);
    const rejecting = await countRejections(tx, held);
    if (rejecting.length > 0) means.database.afterCommit(tx, () => onRejecting(rejecting));
    return unsentOf(tx, laneColumn, held);
  },
});

/** Lanes that still have messages are due now. */
async function unsentOf(
  tx: EntityManager,
  laneColumn: Options["laneColumn"],
  ended: readonly Ended[],
): Promise<NextWork> {
  if (ended.length === 0) return new Map();
  const rows = await allReturning<{ id: string }>(
    tx,
    `select distinct ${laneColumn} as id from message
     where ${laneColumn} in (${ended.map((_, i) => `$${i + 1}`).join(", ")}) and ${IS_UNSENT}`,
    ended.map(({ laneId }) => laneId),
  );
  const now = timestamp();
  return new Map(rows.map(({ id }) => [id, now]));
}
