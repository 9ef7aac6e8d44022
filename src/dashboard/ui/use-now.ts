import { useSyncExternalStore } from "react";

const TICK_INTERVAL_MS = 15_000;
const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, TICK_INTERVAL_MS);
  return () => clearInterval(timer);
};

/**
 * Returns the current time, rounded down to a step, to a component, which rerenders after each step.
 * @param stepMs at least the interval at which the time is checked
 */
export const useNow = (stepMs = TICK_INTERVAL_MS): number =>
  useSyncExternalStore(subscribe, () => Math.floor(Date.now() / stepMs) * stepMs);
