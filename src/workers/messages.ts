import type { KeyCount } from "../rate-limits/key-windows";
import type { MetricValues } from "../telemetry/aggregate";

/** What the supervisor sends to a worker. */
export type ToWorker =
  /** `/readyz` answers 503 from now on. */
  | { type: "announceStop" }
  | { type: "stop" }
  /** Answer with `collected`. */
  | { type: "collect"; id: number }
  /** The answer to `scrape`. */
  | { type: "scraped"; id: number; text: string }
  /** What other workers have counted. */
  | { type: "counts"; counts: KeyCount[] }
  /** What another worker has announced. */
  | { type: "announcement"; channel: string };

/** What a worker sends to the supervisor. */
export type FromWorker =
  /** It listens. */
  | { type: "ready"; address: string }
  /** It cannot start, for a reason in one line. */
  | { type: "failed"; reason: string }
  | { type: "collected"; id: number; values: MetricValues }
  /** Answer with the metrics of all workers. */
  | { type: "scrape"; id: number }
  | { type: "counts"; counts: KeyCount[] }
  | { type: "announcement"; channel: string };
