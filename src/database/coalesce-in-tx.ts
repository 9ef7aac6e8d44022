import DataLoader from "dataloader";
import type { EntityManager } from "typeorm";
import { getOrCreate } from "../common/get-or-create";
import { GatewayError } from "../errors";

/**
 * Coalesces the calls of concurrent units of work in one transaction: calls within one event-loop tick share one call
 * of `work`.
 * @param work returns one value or Error per item, in the order of the items
 * @param options.cache true to cache the values until the transaction ends; only the transaction may change them
 * @returns a function for the units to call with their transaction and one item
 */
export function coalesceInTx<Manager extends EntityManager, Item, Value>(
  work: (tx: Manager, items: readonly Item[]) => Promise<readonly (Value | Error)[]>,
  { cache = false } = {},
): CoalescedInTx<Manager, Item, Value> {
  const loaders = new WeakMap<Manager, DataLoader<Item, Value>>();
  const loaderOf = (tx: Manager) =>
    getOrCreate(loaders, tx, () => new DataLoader((items) => work(tx, items), { cache }));
  const load = (tx: Manager, item: Item) => loaderOf(tx).load(item);
  const set = (tx: Manager, item: Item, value: Value) => void loaderOf(tx).clear(item).prime(item, value);
  return Object.assign(load, { set });
}

/** A coalesced function. */
export interface CoalescedInTx<Manager, Item, Value> {
  (tx: Manager, item: Item): Promise<Value>;
  /** Replaces a cached value that the transaction has changed. */
  set(tx: Manager, item: Item, value: Value): void;
}

/** Coalesces lookups by key, like `coalesceInTx`; `load` gets distinct keys and omits those without a value. */
export const coalesceKeysInTx = <Manager extends EntityManager, Value>(
  load: (tx: Manager, keys: string[]) => Promise<ReadonlyMap<string, Value>>,
  options?: { cache: boolean },
): CoalescedInTx<Manager, string, Value | undefined> =>
  coalesceInTx(async (tx: Manager, keys: readonly string[]) => {
    const found = await load(tx, [...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, options);

/** Waits for all units, so that none outlives its transaction; throws the first rejection. */
export async function settled<T>(units: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(units);
  return Promise.all(units);
}

/** Returns the items that were not rejected. */
export const accepted = <T>(items: readonly (T | GatewayError)[]): T[] =>
  items.flatMap((each) => (each instanceof GatewayError ? [] : [each]));

/** Processes each item that was not rejected; a GatewayError rejects only its own item. */
export const eachAccepted = <T, R>(
  items: readonly (T | GatewayError)[],
  work: (item: T) => Promise<R>,
): Promise<(R | GatewayError)[]> =>
  settled(
    items.map(async (item) => {
      if (item instanceof GatewayError) return item;
      try {
        return await work(item);
      } catch (error) {
        if (error instanceof GatewayError) return error;
        throw error;
      }
    }),
  );
