import type { Tx } from "../database/unit-of-work";
import type { FeatureCounter, FeatureHistogram } from "../telemetry/feature-metrics";

/** Receives measurements of lanes' work. It is called on the hot path, so implementations may only record the values. */
export interface WorkObserver {
  /** @param labels values of the counter's labels, in order */
  count(counter: FeatureCounter, labels: readonly string[], by?: number): void;
  /** @param measure returns the values to record in the histogram */
  observe(histogram: FeatureHistogram, measure: () => readonly number[]): void;
}

/** No-op observer. */
export const NO_WORK_OBSERVER: WorkObserver = { count: () => undefined, observe: () => undefined };

/** Creates an observer that reports a transaction's work once it is committed. */
export const onceCommitted = (tx: Tx, observer: WorkObserver): WorkObserver => ({
  count: (...args) => tx.afterCommit(() => observer.count(...args)),
  observe: (...args) => tx.afterCommit(() => observer.observe(...args)),
});
