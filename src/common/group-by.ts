import { getOrCreate } from "./get-or-create";

/** Groups items by a key, in the order of first appearance; `Map.groupBy` requires Node.js 21. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) getOrCreate(groups, keyOf(item), () => []).push(item);
  return groups;
}
