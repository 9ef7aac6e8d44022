import { DAY_MS } from "../../../common/time";
import { offsetMs } from "./local-formats";

/** Hours of the day, in local time, when messages may be sent. */
export interface TimeWindow {
  /** The days when the window opens; 0 is Sunday. */
  days: ReadonlySet<number>;
  /** When the window opens and closes, in minutes since its day's midnight; may exceed 1440. */
  from: number;
  to: number;
}

/** The start of an open window, and the window's index. */
export interface Opening {
  atMs: number;
  index: number;
}

const MINUTE_MS = 60_000;

/**
 * Returns the next time when a window is open, which may be the given time. A window is open while the zone's clocks
 * show one of its times: times skipped in spring are never open, and times repeated in autumn are open twice.
 * @param windows at least one
 */
export function nextOpening(windows: readonly TimeWindow[], zone: string, atMs: number): Opening {
  for (let fromMs = atMs; ; ) {
    const offset = offsetMs(zone, fromMs) ?? 0;
    const opening = openingAt(windows, fromMs, offset);
    // A zone's offset is assumed not to change twice within a week.
    if (offset === (offsetMs(zone, opening.atMs) ?? 0)) return opening;
    fromMs = changeOf(zone, fromMs, opening.atMs);
  }
}

/** Returns the next opening, assuming that the zone's offset does not change. */
function openingAt(windows: readonly TimeWindow[], atMs: number, offset: number): Opening {
  const localMs = atMs + offset;
  const today = Math.floor(localMs / DAY_MS);
  let first: Opening | undefined;
  // Starts with yesterday, whose window may extend into today, and ends with the same weekday next week.
  for (let day = today - 1; day <= today + 7; day++) {
    // Day 0 of the epoch was a Thursday.
    const weekday = (((day + 4) % 7) + 7) % 7;
    for (const [index, { days, from, to }] of windows.entries()) {
      if (!days.has(weekday) || day * DAY_MS + to * MINUTE_MS <= localMs) continue;
      const opensAt = Math.max(localMs, day * DAY_MS + from * MINUTE_MS) - offset;
      if (first === undefined || opensAt < first.atMs) first = { atMs: opensAt, index };
    }
  }
  return first as Opening;
}

/** Finds, to the second, when a zone's offset changes between two times with different offsets. */
function changeOf(zone: string, fromMs: number, toMs: number): number {
  const before = offsetMs(zone, fromMs);
  let [same, changed] = [Math.floor(fromMs / 1000), Math.ceil(toMs / 1000)];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetMs(zone, middle * 1000) === before) same = middle;
    else changed = middle;
  }
  return changed * 1000;
}
