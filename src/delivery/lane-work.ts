import type { Timestamp } from "../common/time";
import type { Tx } from "../database/unit-of-work";
import type { Attempt, SendResult } from "./driver";
import type { WorkObserver } from "./observer";
import type { FreeSenders } from "./senders";

/** When each lane is due again; a lane without an entry has no further work. */
export type NextWork = ReadonlyMap<string, Timestamp>;

/** Work that a sender does once the transaction is committed, such as sending a message; its lane is leased meanwhile. */
export interface Departure {
  laneId: string;
  /** The group of senders: the line that a message leaves on, or the name of another group. */
  lineId: string;
  /** The kind of that line, or the name of the other group. */
  lineKind: string;
  /** The name of the share of the senders that it needs, if any. */
  share?: string;
  /** The message, or what else is worked on. */
  message: { id: string };
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Never rejects, as `Send` does. */
  send: (attempt: Attempt) => Promise<SendResult>;
}

/** What a transaction found on due lanes. Lanes that are in none of the lists have no further work. */
export interface DueWork {
  next: NextWork;
  departures: readonly Departure[];
  /** The lanes whose message can leave as soon as a sender is free, with the lines that it leaves on. */
  waiting: readonly Pick<Departure, "laneId" | "lineId">[];
}

/** A send that has ended. */
export interface Ended extends Pick<Departure, "laneId" | "lineId" | "lineKind" | "attempt"> {
  messageId: string;
  result: SendResult;
  /** Whether the send still held its lane at its end; if not, the lane may have gone on without it. */
  isHeld: boolean;
}

/** What the work of a transaction takes place in. */
export interface LaneSurroundings {
  senders: FreeSenders;
  observer: WorkObserver;
}

/** The work of one kind of lane. */
export interface LaneWork {
  /** Does the due work of lanes, in the transaction that holds their locks; the first ones get senders first. */
  start(tx: Tx, laneIds: readonly string[], around: LaneSurroundings): Promise<DueWork>;
  /** Stores what came of sends, in a transaction that holds the locks of the lanes that they still hold. */
  finish(tx: Tx, ended: readonly Ended[], observer: WorkObserver): Promise<void>;
}
