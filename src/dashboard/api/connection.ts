import { useSyncExternalStore } from "react";

/** Whether the last call was answered: the browser's own idea of being online knows nothing of this gateway. */
export type Connection = "ok" | "lost";

let state: Connection = "ok";
const listeners = new Set<() => void>();

export const connection = {
  set(next: Connection): void {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  },
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the last call was answered. */
export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => state);
