/** A Map, WeakMap or cache. */
interface Store<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: NoInfer<Value>): unknown;
}

/** Returns a key's value; if there is none, calls `create` and stores the result. */
export function getOrCreate<Key, Value>(
  store: Store<Key, Value>,
  key: Key,
  create: (key: Key) => NoInfer<Value>,
): Value {
  let value = store.get(key);
  if (value === undefined) {
    value = create(key);
    store.set(key, value);
  }
  return value;
}
