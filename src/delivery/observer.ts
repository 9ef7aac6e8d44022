import type { Tx } from "../database/unit-of-work";

/** Receives measurements of messages and their delivery; it is on the hot path, so implementations must only count. */
export interface DeliveryObserver {
  /** Messages reached a status. */
  reached(status: string, messages: number): void;
  /** Attempts to send ended. @param kind the kind of their line */
  attempted(kind: string, outcome: string, attempts: number): void;
  /** Messages whose process ended while it sent them were taken over. */
  recovered(messages: number): void;
  /** Messages were sent. @param acceptedAt when each was accepted */
  delivered(acceptedAt: readonly string[]): void;
  /** A decision was made, or could not be made. */
  decided(decider: string, outcome: string): void;
  /** Attempts to deliver events to webhook endpoints ended. */
  webhooksAttempted(outcome: string, attempts: number): void;
  /** A webhook endpoint was disabled, because it failed. */
  webhookDisabled(reason: string): void;
}

/** No-op observer. */
export const NO_DELIVERY_OBSERVER: DeliveryObserver = {
  reached: () => undefined,
  attempted: () => undefined,
  recovered: () => undefined,
  delivered: () => undefined,
  decided: () => undefined,
  webhooksAttempted: () => undefined,
  webhookDisabled: () => undefined,
};

/** An observer that receives what a transaction did once it is committed. */
export const onceCommitted = (tx: Tx, observer: DeliveryObserver): DeliveryObserver => ({
  reached: (...args) => tx.afterCommit(() => observer.reached(...args)),
  attempted: (...args) => tx.afterCommit(() => observer.attempted(...args)),
  recovered: (...args) => tx.afterCommit(() => observer.recovered(...args)),
  delivered: (...args) => tx.afterCommit(() => observer.delivered(...args)),
  decided: (...args) => tx.afterCommit(() => observer.decided(...args)),
  webhooksAttempted: (...args) => tx.afterCommit(() => observer.webhooksAttempted(...args)),
  webhookDisabled: (...args) => tx.afterCommit(() => observer.webhookDisabled(...args)),
});
