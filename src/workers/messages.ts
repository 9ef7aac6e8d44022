import type { KeyCount } from "../rate-limits/key-windows";
import type { MetricValues } from "../telemetry/aggregate";

/** A message from the supervisor to a worker. */
export type ToWorker =
  /** `/readyz` returns 503 from now on. */
  | { type: "announceStop" }
  | { type: "stop" }
  /** Answer with `collected`. */
  | { type: "collect"; id: number }
  /** The answer to `scrape`. */
  | { type: "scraped"; id: number; text: string }
  /** Counts of the other workers. */
  | { type: "counts"; counts: KeyCount[] }
  /** Announcement of another worker. */
  | { type: "announcement"; channel: string };

/** A message from a worker to the supervisor. */
export type FromWorker =
  /** It listens. */
  | { type: "ready"; address: string }
  /** The worker cannot start; the reason is one line. */
  | { type: "failed"; reason: string }
  | { type: "collected"; id: number; values: MetricValues }
  /** Answer with the metrics of all workers. */
  | { type: "scrape"; id: number }
  | { type: "counts"; counts: KeyCount[] }
  | { type: "announcement"; channel: string };
