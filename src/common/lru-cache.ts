import { LRUCache } from "lru-cache";

/** Creates a cache that evicts the least recently used entry beyond `max` and allocates memory only for its entries. */
export const lruCache = <K extends string, V extends object | string | number | boolean>(
  max: number,
): LRUCache<K, V> =>
  // With the option `max`, the library allocates and fills arrays for all entries, which takes milliseconds.
  new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
