/** Returns a key's value from a map or cache; a missing value is created and added. */
export function getOrAdd<Key, Value>(
  entries: { get(key: Key): Value | undefined; set(key: Key, value: NoInfer<Value>): unknown },
  key: Key,
  create: () => Value,
): Value {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const value = create();
  entries.set(key, value);
  return value;
}
