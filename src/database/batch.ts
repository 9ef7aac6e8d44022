import DataLoader from "dataloader";

/** Well below SQLite's 32,766 variables a statement. */
const MOST_KEYS = 1_000;

/**
 * Joins lookups, whichever requests they come from, into one query: those that arrive in one turn of the event
 * loop, and those that arrive while the query before is under way, so that queries grow with the load instead of
 * queueing. Nothing is cached: a lookup is always answered by a query that began after it was asked.
 * @param load answers distinct keys; a key that is not in the map has no value
 */
export function batched<V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  const waiting: (() => void)[] = [];
  let busy = false;
  const next = () => {
    const dispatch = waiting.shift();
    busy = dispatch !== undefined;
    dispatch?.();
  };
  const loader = new DataLoader<string, V | undefined>(
    async (keys) => {
      try {
        const found = await load([...new Set(keys)]);
        return keys.map((key) => found.get(key));
      } finally {
        // Not before those who were answered have had their turn: what they ask next shares the next query.
        setImmediate(next);
      }
    },
    {
      cache: false,
      maxBatchSize: MOST_KEYS,
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch);
        if (!busy) {
          busy = true;
          setImmediate(next);
        }
      },
    },
  );
  return (key) => loader.load(key);
}

/** Rows as a map by one of their columns. */
export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
