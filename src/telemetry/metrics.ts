import { performance } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { getOrCreate } from "../common/get-or-create";
import type { Database } from "../database/database";
import { DATABASE_BATCHES, type DatabaseObserver, FAILURES, type Failure } from "../database/observer";
import { version } from "../version";
import type { MetricValues } from "./aggregate";
import { registerGauge, registerReading } from "./exposition";
import {
  combinations,
  type FeatureCounter,
  type FeatureHistogram,
  type FeatureMetric,
} from "./feature-metrics";

/** Histogram buckets (s), from an uncontended request to a client timeout. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Outcomes of key checks that are exposed from the start. */
const KEY_OUTCOMES = [
  "accepted",
  "invalid_api_key",
  "key_expired",
  "key_not_resolvable",
  "key_revoked",
  "address_not_allowed",
  "too_many_attempts",
  "unavailable",
  "internal_error",
] as const;

/** Lifetime of cached database counts (ms), which several scrapers may read. */
const COUNTS_LIFETIME_MS = 1_000;

/** The metrics of one app. Labels come from closed lists, never from client input. */
export class Metrics implements DatabaseObserver {
  private readonly registry = new Registry();

  readonly requests = this.counter("gateway_http_requests_total", "Completed requests.", [
    "api",
    "route",
    "method",
    "status",
    "outcome",
  ]);
  readonly durations = this.histogram(
    "gateway_http_request_duration_seconds",
    "Time from receiving the request head to the end of the response.",
    SECONDS,
    ["api", "route", "method"],
  );
  readonly operations = this.counter("gateway_graphql_operations_total", "GraphQL operations, by outcome.", [
    "type",
    "outcome",
  ]);
  readonly keyChecks = this.counter("gateway_key_checks_total", "API key checks, by outcome.", ["outcome"]);
  private readonly joins = this.histogram(
    "gateway_database_batch_size",
    "Calls combined into one query, statement or transaction.",
    SIZES,
    ["of"],
  );
  private readonly transactions = this.histogram(
    "gateway_database_transaction_duration_seconds",
    "Time from the start of a transaction until it is durable.",
    SECONDS,
  );
  private readonly failures = this.counter(
    "gateway_database_errors_total",
    "Failed database operations, by kind.",
    ["kind"],
  );
  private readonly counters = new Map<FeatureCounter, Counter>();
  private readonly histograms = new Map<FeatureHistogram, Histogram>();

  constructor() {
    const { registry } = this;
    registerGauge(
      registry,
      ["gateway_build_info", "Version of the gateway and of Node.js. The value is always 1."],
      ["version", "node_version"],
      () => [[{ version, node_version: process.version }, 1]],
      "first",
    );
    // Create every series at the start, because a rate needs a sample before the first event.
    for (const outcome of KEY_OUTCOMES) this.keyChecks.inc({ outcome }, 0);
    for (const kind of FAILURES) this.failures.inc({ kind }, 0);
    for (const what of DATABASE_BATCHES) this.coalesces(what);
  }

  /** Registers metrics of features. Their series are exposed from the start, because a rate needs a first sample. */
  register(metrics: readonly FeatureMetric[]): void {
    for (const metric of metrics) {
      if (metric.type === "reading") registerReading(this.registry, metric);
      else if (metric.type === "counter")
        for (const labels of metric.series ?? combinations(metric.labels)) this.count(metric, labels, 0);
      else this.observe(metric, () => []);
    }
  }

  count(metric: FeatureCounter, labels: readonly string[], by = 1): void {
    const create = () => this.counter(metric.name, metric.help, Object.keys(metric.labels));
    getOrCreate(this.counters, metric, create)
      .labels(...labels)
      .inc(by);
  }

  observe(metric: FeatureHistogram, measure: () => readonly number[]): void {
    const create = () => this.histogram(metric.name, metric.help, metric.bounds);
    const histogram = getOrCreate(this.histograms, metric, create);
    for (const value of measure()) histogram.observe(value);
  }

  coalesces(what: string): void {
    this.joins.zero({ of: what });
  }

  coalesced(what: string, calls: number): void {
    this.joins.labels(what).observe(calls);
  }

  transaction(seconds: number): void {
    this.transactions.observe(seconds);
  }

  failed(failure: Failure): void {
    this.failures.labels(failure).inc();
  }

  /** Registers gauges for the queued work of all processes; they have no values while `count` fails. */
  watchLanes(
    count: () => Promise<{ due: number; waiting: number; leased: number; oldestDueSeconds: number }>,
  ): void {
    const counted = () => count().catch(() => undefined);
    let last: { at: number; counts: ReturnType<typeof counted> } | undefined;
    const counts = () => {
      if (last === undefined || performance.now() - last.at > COUNTS_LIFETIME_MS)
        last = { at: performance.now(), counts: counted() };
      return last.counts;
    };
    registerGauge(
      this.registry,
      ["gateway_lanes", "Lanes (units of ordered work), by state."],
      ["state"],
      async () => {
        const now = await counts();
        return now === undefined
          ? []
          : [
              [{ state: "due" }, now.due],
              [{ state: "leased" }, now.leased],
              [{ state: "waiting" }, now.waiting],
            ];
      },
      "first",
    );
    registerGauge(
      this.registry,
      [
        "gateway_oldest_due_lane_seconds",
        "Time since the oldest due lane became due, ignoring lanes that wait for a sender, or 0 if none is due.",
      ],
      [],
      async () => {
        const now = await counts();
        return now === undefined ? [] : [[{}, now.oldestDueSeconds]];
      },
      "first",
    );
  }

  watchRequests(requests: { readonly count: number }): void {
    registerGauge(this.registry, ["gateway_http_requests_in_flight", "Requests in flight."], [], () => [
      [{}, requests.count],
    ]);
  }

  watch(database: Pick<Database, "stats">): void {
    registerGauge(
      this.registry,
      ["gateway_database_waiting", "Calls waiting for the database, by the resource they wait for."],
      ["for"],
      () => Object.entries(database.stats().waiting).map(([what, calls]) => [{ for: what }, calls]),
    );
    registerGauge(
      this.registry,
      ["gateway_database_connections", "Connections in the pool, by state."],
      ["state"],
      () => Object.entries(database.stats().connections ?? {}).map(([state, n]) => [{ state }, n]),
    );
  }

  /**
   * Registers process metrics: CPU, memory, garbage collection, event loop. Call once per process, because collection
   * never stops.
   * @param worker number of the process, if it is one of several workers
   */
  watchProcess(worker?: number): void {
    collectDefaultMetrics({ register: this.registry });
    const labels: Record<string, string> = worker === undefined ? {} : { worker: String(worker) };
    new Counter({
      name: "gateway_event_loop_busy_seconds_total",
      help: "Time that the event loop was busy. A rate of 1 means that the process is saturated.",
      labelNames: Object.keys(labels),
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(labels, performance.eventLoopUtilization().active / 1000);
      },
    });
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    labelNames: string[] = [],
  ): Histogram {
    return new Histogram({ name, help, labelNames, buckets: [...bounds], registers: [this.registry] });
  }

  /** Returns all metrics, for `aggregate`. */
  values(): Promise<MetricValues> {
    return this.registry.getMetricsAsJSON();
  }

  /** Returns all metrics in the Prometheus text format 0.0.4. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
