import { useSyncExternalStore } from "react";

/** A value outside React's tree that components can subscribe to. */
export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  /** Returns the value and rerenders the component when it changes. */
  use(): Value;
}

/** Creates a store. Setting the current value again does not cause a rerender. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
