import DataLoader from "dataloader";

/** Well below SQLite's 32,766 variables a statement. */
const MOST_ITEMS = 1_000;
/** How often a call waits for another turn of the event loop in which more has come. */
const MOST_TURNS = 2;

/**
 * Joins calls, whichever requests they come from, into one: those that come in one turn of the event loop, and
 * those that come while the one before is under way, so that calls grow with the load instead of queueing.
 * Nothing is cached: each call is answered by work that began after it came.
 * @param work answers items in their order, each with a value or an Error of its own
 * @param most items of one call
 */
export function gathered<T, V>(
  work: (items: readonly T[]) => Promise<ArrayLike<V | Error>>,
  most = MOST_ITEMS,
): (item: T) => Promise<V> {
  const waiting: (() => void)[] = [];
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
  const loader = new DataLoader<T, V>((items) => work(items).finally(() => settle(asked, MOST_TURNS)), {
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
    return loader.load(item);
  };
}

/**
 * Joins lookups into one query, as `gathered` does.
 * @param load answers distinct keys; a key that is not in the map has no value
 */
export const batched = <V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): ((key: string) => Promise<V | undefined>) =>
  gathered(async (keys: readonly string[]) => {
    const found = await load([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  });

/** Rows as a map by one of their columns. */
export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
