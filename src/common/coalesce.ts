import { type Span, trace } from "@opentelemetry/api";
import DataLoader from "dataloader";
import { withSharedSpan } from "./spans";

/** Well below SQLite's 32,766 variables a statement. */
const MAX_ITEMS = 1_000;
/** How often a call waits for another turn of the event loop in which more has come. */
const MAX_TURNS = 2;

/** What is under way for longer than this (ms) is stuck, or slow: others no longer wait for it. */
const MAX_BATCH_WAIT_MS = 100;

interface Options {
  /** The name of its spans. */
  name?: string;
  /** Most items of one call. */
  most?: number;
  /** Whether a call waits for the one before in any case, so that nobody is to go on without it. */
  oneByOne?: boolean;
  /** Told how many calls each call became. */
  joined?: (calls: number) => void;
}

/**
 * Joins calls, whichever requests they come from, into one: those that come in one turn of the event loop, and
 * those that come while the one before is under way, so that calls grow with the load instead of queueing; but
 * nobody waits for long behind a call that does not come back.
 * Nothing is cached: each call is answered by work that began after it came.
 * @param work answers items in their order, each with a value or an Error of its own
 */
export function coalesce<T, V>(
  work: (items: readonly T[]) => Promise<ArrayLike<V | Error>>,
  { name = "batch", most = MAX_ITEMS, oneByOne = false, joined }: Options = {},
): (item: T) => Promise<V> {
  const waiting: (() => void)[] = [];
  let callers: Span[] = [];
  let busy = false;
  let asked = 0;
  /** The number of the call that others wait for. */
  let call = 0;
  let patience: NodeJS.Timeout | undefined;
  // Those who were just answered have their turn first: what they ask for next shares the next call.
  const settle = (after: number, seen = asked, turns = MAX_TURNS) => {
    setImmediate(() => {
      // Another call has begun meanwhile, for this one had taken too long.
      if (after !== call) return;
      if (asked > seen && turns > 0) settle(after, asked, turns - 1);
      else next();
    });
  };
  const next = () => {
    const dispatch = waiting.shift();
    busy = dispatch !== undefined;
    if (dispatch === undefined) return;
    call++;
    if (!oneByOne) patience = patience?.refresh() ?? setTimeout(goOn, MAX_BATCH_WAIT_MS).unref();
    dispatch();
  };
  const goOn = () => {
    if (busy) next();
  };
  const run = (items: readonly T[]) => {
    joined?.(items.length);
    const mine = call;
    const served = callers;
    if (served.length > 0) callers = [];
    return withSharedSpan(name, served, () => work(items)).finally(() => settle(mine));
  };
  const loader = new DataLoader<T, V>(run, {
    cache: false,
    maxBatchSize: most,
    batchScheduleFn: (dispatch) => {
      waiting.push(dispatch);
      if (busy) return;
      busy = true;
      settle(call);
    },
  });
  return (item) => {
    asked += 1;
    const caller = trace.getActiveSpan();
    if (caller !== undefined) callers.push(caller);
    return loader.load(item);
  };
}

/**
 * Joins lookups into one query, as `coalesce` does.
 * @param load answers distinct keys; a key that is not in the map has no value
 */
export const coalesceByKey = <V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  options?: Options,
): ((key: string) => Promise<V | undefined>) =>
  coalesce(async (keys: readonly string[]) => {
    const found = await load([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, options);

/** Rows as a map by one of their columns. */
export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
