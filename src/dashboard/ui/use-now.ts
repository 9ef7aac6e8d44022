import { useSyncExternalStore } from "react";

const TICK_INTERVAL_MS = 15_000;
const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, TICK_INTERVAL_MS);
  return () => clearInterval(timer);
};

/**
 * Returns the current time, rounded down to a step, and rerenders the component after each step.
 * @param stepMs length of a step, at least `TICK_INTERVAL_MS`
 */
export const useNow = (stepMs = TICK_INTERVAL_MS): number =>
  useSyncExternalStore(subscribe, () => Math.floor(Date.now() / stepMs) * stepMs);
