import { DAY_MS } from "../../../common/time";
import { offsetMs } from "./local-formats";

/** Hours of a day in which messages are sent, in local time. */
export interface TimeWindow {
  /** The days on which it opens; 0 is Sunday. */
  days: ReadonlySet<number>;
  /** When it opens, and when it closes (minutes since the midnight of its day); past 1440 on the next day. */
  from: number;
  to: number;
}

/** The time from which a window is open, and its index. */
export interface Opening {
  atMs: number;
  index: number;
}

const MINUTE_MS = 60_000;

/**
 * The next time at which one of the windows is open; the given time itself if one is. A window is open while the clocks
 * of the zone show a time in it: what they skip in spring is never open, and what they show twice in autumn is open
 * twice.
 * @param windows at least one
 */
export function nextOpening(windows: readonly TimeWindow[], zone: string, atMs: number): Opening {
  for (let fromMs = atMs; ; ) {
    const offset = offsetMs(zone, fromMs) ?? 0;
    const opening = openingAt(windows, fromMs, offset);
    // The offset of a zone does not change twice within a week.
    if (offset === (offsetMs(zone, opening.atMs) ?? 0)) return opening;
    fromMs = changeOf(zone, fromMs, opening.atMs);
  }
}

/** The next opening if the zone keeps its offset. */
function openingAt(windows: readonly TimeWindow[], atMs: number, offset: number): Opening {
  const localMs = atMs + offset;
  const today = Math.floor(localMs / DAY_MS);
  let first: Opening | undefined;
  // From yesterday, whose window may end today, to this day of next week.
  for (let day = today - 1; day <= today + 7; day++) {
    // The first day of the epoch was a Thursday.
    const weekday = (((day + 4) % 7) + 7) % 7;
    for (const [index, { days, from, to }] of windows.entries()) {
      if (!days.has(weekday) || day * DAY_MS + to * MINUTE_MS <= localMs) continue;
      const opensAt = Math.max(localMs, day * DAY_MS + from * MINUTE_MS) - offset;
      if (first === undefined || opensAt < first.atMs) first = { atMs: opensAt, index };
    }
  }
  return first as Opening;
}

/** When the offset of a zone changes, to the second, between two times with different offsets. */
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
