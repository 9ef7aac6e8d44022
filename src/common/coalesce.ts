import { type Span, trace } from "@opentelemetry/api";
import DataLoader from "dataloader";
import { BatchGate } from "./batch-gate";
import { withSharedSpan } from "./spans";

/** Max items per batch, well below SQLite's limit of 32,766 variables per statement. */
export const MAX_ITEMS = 1_000;

interface Options {
  name?: string;
  maxBatchSize?: number;
  /** Decides when batches start; other coalescers may share it. */
  gate?: BatchGate;
  /** Receives the number of calls in each batch. */
  coalesced?: (calls: number) => void;
}

/**
 * Coalesces calls that arrive in the same event-loop tick or while a batch runs, so that batches grow with the load
 * instead of queueing. Nothing is cached: each call's result comes from a batch that starts after the call.
 * @param work returns one value or Error per item, in the order of the items
 * @returns a function to call with one item
 */
export function coalesce<T, V>(
  work: (items: readonly T[]) => Promise<ArrayLike<V | Error>>,
  { name = "batch", maxBatchSize = MAX_ITEMS, gate = new BatchGate(), coalesced }: Options = {},
): (item: T) => Promise<V> {
  let callers: Span[] = [];
  const run = (items: readonly T[]) => {
    coalesced?.(items.length);
    const spans = callers;
    if (spans.length > 0) callers = [];
    return gate.run(items.length, () => withSharedSpan(name, spans, () => work(items)));
  };
  const waiting: (() => void)[] = [];
  const startNext = () => {
    waiting.shift()?.();
    if (waiting.length > 0) gate.add(startNext);
  };
  const loader = new DataLoader<T, V>(run, {
    cache: false,
    maxBatchSize,
    batchScheduleFn: (start) => {
      if (waiting.push(start) === 1) gate.add(startNext);
    },
  });
  return (item) => {
    gate.receive();
    const caller = trace.getActiveSpan();
    if (caller !== undefined) callers.push(caller);
    return loader.load(item);
  };
}

/** Coalesces lookups by key into one query; `load` gets distinct keys, and omits keys without a value. */
export const coalesceByKey = <V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  options?: Options,
): ((key: string) => Promise<V | undefined>) =>
  coalesce(async (keys: readonly string[]) => {
    const found = await load([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, options);

/** Looks up a key's value; null if there is none or no key, for example in a row inserted without the key. */
export const findIfAny = async <V>(
  find: (key: string) => Promise<V | undefined>,
  key: string | null | undefined,
): Promise<V | null> => (key == null ? undefined : await find(key)) ?? null;

export const indexBy = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> =>
  new Map(rows.map((row) => [key(row), row]));
