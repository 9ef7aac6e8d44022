import DataLoader from "dataloader";
import { currentWork, followFor, type Work } from "../telemetry/trace";

/** Well below SQLite's 32,766 variables a statement. */
const MOST_ITEMS = 1_000;
/** How often a call waits for another turn of the event loop in which more has come. */
const MOST_TURNS = 2;

interface Options {
  /** What it is called by those who follow requests. */
  name?: string;
  /** Most items of one call. */
  most?: number;
  /** Told how many calls each call became. */
  joined?: (calls: number) => void;
}

/**
 * Joins calls, whichever requests they come from, into one: those that come in one turn of the event loop, and
 * those that come while the one before is under way, so that calls grow with the load instead of queueing.
 * Nothing is cached: each call is answered by work that began after it came.
 * @param work answers items in their order, each with a value or an Error of its own
 */
export function gathered<T, V>(
  work: (items: readonly T[]) => Promise<ArrayLike<V | Error>>,
  { name = "batch", most = MOST_ITEMS, joined }: Options = {},
): (item: T) => Promise<V> {
  const waiting: (() => void)[] = [];
  let askers: Work[] = [];
  let busy = false;
  let asked = 0;
  // Those who were just answered have their turn first: what they ask for next shares the next call.
  const settle = (seen: number, turns: number) => {
    setImmediate(() => (asked > seen && turns > 0 ? settle(asked, turns - 1) : next()));
  };
  const next = () => {
    const dispatch = waiting.shift();
    busy = dispatch !== undefined;
    dispatch?.();
  };
  const run = (items: readonly T[]) => {
    joined?.(items.length);
    const followed = askers;
    if (followed.length > 0) askers = [];
    return followFor(name, followed, () => work(items)).finally(() => settle(asked, MOST_TURNS));
  };
  const loader = new DataLoader<T, V>(run, {
    cache: false,
    maxBatchSize: most,
    batchScheduleFn: (dispatch) => {
      waiting.push(dispatch);
      if (busy) return;
      busy = true;
      settle(asked, MOST_TURNS);
    },
  });
  return (item) => {
    asked += 1;
    const asker = currentWork();
    if (asker !== undefined) askers.push(asker);
    return loader.load(item);
  };
}

/**
 * Joins lookups into one query, as `gathered` does.
 * @param load answers distinct keys; a key that is not in the map has no value
 */
export const batched = <V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  options?: Options,
): ((key: string) => Promise<V | undefined>) =>
  gathered(async (keys: readonly string[]) => {
    const found = await load([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, options);

/** Rows as a map by one of their columns. */
export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
