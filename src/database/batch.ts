import DataLoader from "dataloader";

/** Well below SQLite's 32,766 variables a statement. */
const MOST_KEYS = 1_000;

/**
 * Joins the lookups that arrive in one turn of the event loop, whichever requests they come from, into one
 * query. Nothing is cached: a lookup is always answered by a query that began after it was asked.
 * @param load answers distinct keys; a key that is not in the map has no value
 */
export function batched<V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  const loader = new DataLoader<string, V | undefined>(
    async (keys) => {
      const found = await load([...new Set(keys)]);
      return keys.map((key) => found.get(key));
    },
    { cache: false, maxBatchSize: MOST_KEYS, batchScheduleFn: (dispatch) => setImmediate(dispatch) },
  );
  return (key) => loader.load(key);
}

/** Rows as a map by one of their columns. */
export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
