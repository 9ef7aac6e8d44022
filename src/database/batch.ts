import DataLoader from "dataloader";
import { currentWork, followFor, type Work } from "../telemetry/trace";

/** Well below SQLite's 32,766 variables a statement. */
const MOST_ITEMS = 1_000;

/**
 * Joins calls, whichever requests they come from, into one: those that come in one turn of the event loop, and
 * those that come while the one before is under way, so that calls grow with the load instead of queueing.
 * Nothing is cached: each call is answered by work that began after it came.
 * @param work answers items in their order, each with a value or an Error of its own
 * @param name of it, for those who follow requests
 * @param joined told how many calls each call became
 */
export function gathered<T, V>(
  work: (items: readonly T[]) => Promise<ArrayLike<V | Error>>,
  name = "batch",
  joined?: (calls: number) => void,
): (item: T) => Promise<V> {
  let askers: Work[] = [];
  const waiting: (() => void)[] = [];
  let busy = false;
  const next = () => {
    const dispatch = waiting.shift();
    busy = dispatch !== undefined;
    dispatch?.();
  };
  const loader = new DataLoader<T, V>(
    // Not before those who were answered have had their turn: what they ask for next shares the next call.
    (items) => {
      joined?.(items.length);
      const followed = askers;
      if (followed.length > 0) askers = [];
      return followFor(name, followed, () => work(items)).finally(() => setImmediate(next));
    },
    {
      cache: false,
      maxBatchSize: MOST_ITEMS,
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch);
        if (busy) return;
        busy = true;
        setImmediate(next);
      },
    },
  );
  return (item) => {
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
  name?: string,
  joined?: (calls: number) => void,
): ((key: string) => Promise<V | undefined>) =>
  gathered(
    async (keys: readonly string[]) => {
      const found = await load([...new Set(keys)]);
      return keys.map((key) => found.get(key));
    },
    name,
    joined,
  );

/** Rows as a map by one of their columns. */
export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
