import type { KeyCount } from "../rate-limits/key-windows";
import type { MetricValues } from "../telemetry/aggregate";

/** A message from the supervisor to a worker. */
export type ToWorker =
  /** Asks the worker to make `/readyz` return 503. */
  | { type: "announceStop" }
  /** Asks the worker to close each connection after its next response. */
  | { type: "retire" }
  | { type: "stop" }
  /** The response to `closed`: the supervisor will hand no more connections to the worker. */
  | { type: "exit" }
  /** Asks the worker to reply with `collected`. */
  | { type: "collect"; id: number }
  /** The response to `scrape`: the metrics of all workers. */
  | { type: "scraped"; id: number; text: string }
  /** Rate limit counts of the other workers. */
  | { type: "counts"; counts: KeyCount[] }
  /** An announcement by another worker. */
  | { type: "announcement"; channel: string };

/** A message from a worker to the supervisor. */
export type FromWorker =
  /** Reports that the worker is listening. */
  | { type: "ready"; address: string }
  /** The worker could not start; `reason` is a single line of text. */
  | { type: "failed"; reason: string }
  /** The worker has stopped; it exits after `exit`, and until then returns connections that are being handed to it. */
  | { type: "closed" }
  | { type: "collected"; id: number; values: MetricValues }
  /** Asks for the metrics of all workers. */
  | { type: "scrape"; id: number }
  | { type: "counts"; counts: KeyCount[] }
  | { type: "announcement"; channel: string };
