import { type Span, trace } from "@opentelemetry/api";
import DataLoader from "dataloader";
import { withSharedSpan } from "./spans";

/** Max items per batch, well below SQLite's limit of 32,766 variables per statement. */
export const MAX_ITEMS = 1_000;
/** Max extra event-loop ticks that a batch waits while items keep arriving. */
const MAX_EXTRA_TICKS = 2;

/** Stop queueing behind a batch that runs longer than this (ms). */
const MAX_BATCH_WAIT_MS = 100;

interface Options {
  /** The span name of each batch. */
  name?: string;
  /** Max items per batch. */
  maxBatchSize?: number;
  /** Whether a batch always waits for the previous one, however long that takes. */
  serial?: boolean;
  /** Receives the number of calls in each batch. */
  coalesced?: (calls: number) => void;
}

/**
 * Coalesces calls that arrive in the same event-loop tick or while a batch runs, so that batches grow with the load
 * instead of queueing. Nothing is cached: the work that answers a call always starts after the call.
 * @param work returns one value or Error per item, in the order of the items
 * @returns the function that callers call with one item
 */
export function coalesce<T, V>(
  work: (items: readonly T[]) => Promise<ArrayLike<V | Error>>,
  { name = "batch", maxBatchSize = MAX_ITEMS, serial = false, coalesced }: Options = {},
): (item: T) => Promise<V> {
  const waiting: (() => void)[] = [];
  let callers: Span[] = [];
  let busy = false;
  let received = 0;
  /** The number of the batch that new items queue behind. */
  let currentBatch = 0;
  let stuckTimer: NodeJS.Timeout | undefined;
  // Waits a tick, so that the next calls of callers that just got their results join the next batch.
  const scheduleNext = (after: number, seen = received, ticks = MAX_EXTRA_TICKS) => {
    setImmediate(() => {
      // This batch took too long, and another one has started.
      if (after !== currentBatch) return;
      if (received > seen && ticks > 0) scheduleNext(after, received, ticks - 1);
      else next();
    });
  };
  const next = () => {
    const dispatch = waiting.shift();
    busy = dispatch !== undefined;
    if (dispatch === undefined) return;
    currentBatch++;
    if (!serial) stuckTimer = stuckTimer?.refresh() ?? setTimeout(skipStuckBatch, MAX_BATCH_WAIT_MS).unref();
    dispatch();
  };
  const skipStuckBatch = () => {
    if (busy) next();
  };
  const run = (items: readonly T[]) => {
    coalesced?.(items.length);
    const batch = currentBatch;
    const spans = callers;
    if (spans.length > 0) callers = [];
    return withSharedSpan(name, spans, () => work(items)).finally(() => scheduleNext(batch));
  };
  const loader = new DataLoader<T, V>(run, {
    cache: false,
    maxBatchSize,
    batchScheduleFn: (dispatch) => {
      waiting.push(dispatch);
      if (busy) return;
      busy = true;
      scheduleNext(currentBatch);
    },
  });
  return (item) => {
    received += 1;
    const caller = trace.getActiveSpan();
    if (caller !== undefined) callers.push(caller);
    return loader.load(item);
  };
}

/**
 * Coalesces lookups by key into one query.
 * @param load maps distinct keys to values; a missing key has no value
 * @returns the function that callers call with one key
 */
export const coalesceByKey = <V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  options?: Options,
): ((key: string) => Promise<V | undefined>) =>
  coalesce(async (keys: readonly string[]) => {
    const found = await load([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, options);

/** Indexes rows by a key. */
export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
