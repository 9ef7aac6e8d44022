import type { Timestamp } from "../common/time";
import type { Tx } from "../database/unit-of-work";
import type { Attempt, SendResult } from "./driver";
import type { WorkObserver } from "./observer";
import type { FreeSenders } from "./senders";

/** Delay until a lane is due again (ms) if another transaction has locked a row that its work needs. */
export const LOCKED_MS = 250;

/** The time when each lane is next due; a lane without an entry has no more work. */
export type NextWork = ReadonlyMap<string, Timestamp>;

/** Work that a sender performs after the commit, such as sending a message; it holds its lane until it ends. */
export interface Dispatch {
  laneId: string;
  /** The channel that the work uses: a line, a webhook endpoint, or another named group. */
  channelId: string;
  /** The line's kind, the kind of a webhook endpoint's lanes, or the name of the other group. */
  channelKind: string;
  /** The URL that the work is sent to, if it may change before the work has ended. */
  url?: string;
  /** Name of the `Share` that limits the work's senders; undefined if there is none. */
  share?: string;
  /** The message, or another row to work on. */
  message: { id: string };
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Performs the work; like `Send`, it never rejects. */
  send: (attempt: Attempt) => Promise<SendResult>;
}

/** The work of the due lanes that a transaction has locked. A lane that is in none of these lists has no work left. */
export interface DueWork {
  next: NextWork;
  dispatches: readonly Dispatch[];
  /** Lanes waiting for a free sender, with their channels. */
  waiting: readonly Pick<Dispatch, "laneId" | "channelId">[];
}

export interface FinishedSend
  extends Pick<Dispatch, "laneId" | "channelId" | "channelKind" | "url" | "attempt"> {
  messageId: string;
  result: SendResult;
  /** True if the send held its lane until the end; otherwise another process may have worked on the lane. */
  isHeld: boolean;
}

export interface LaneContext {
  senders: FreeSenders;
  observer: WorkObserver;
}

export interface LaneWork {
  /** Performs the due work of the lanes that the transaction has locked; assigns senders in the order of `laneIds`. */
  start(tx: Tx, laneIds: readonly string[], context: LaneContext): Promise<DueWork>;
  /** Stores the results of finished sends, in a transaction that has locked the lanes that they still hold. */
  finish(tx: Tx, ended: readonly FinishedSend[], observer: WorkObserver): Promise<void>;
}
