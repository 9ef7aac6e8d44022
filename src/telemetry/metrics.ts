import { performance } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import type { Database } from "../database/database";
import { DATABASE_BATCHES, type DatabaseObserver, FAILURES, type Failure } from "../database/observer";
import { version } from "../version";
import type { MetricValues } from "./aggregate";
import { registerCounts, registerDistributions, registerGauge, registerReading } from "./exposition";
import {
  combinations,
  type FeatureCounter,
  type FeatureHistogram,
  type FeatureMetric,
} from "./feature-metrics";
import { Count, Distribution, LabeledMetric } from "./labeled-metric";

/** Histogram bounds (s), from a request that waits for nothing to one whose client has timed out. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Possible outcomes of a key check. */
const KEY_OUTCOMES = [
  "accepted",
  "invalid_api_key",
  "key_expired",
  "key_not_resolvable",
  "key_revoked",
  "address_not_allowed",
  "unavailable",
] as const;

const count = () => new Count();
const seconds = () => new Distribution(SECONDS);

/** How long counts of the database are shown again (ms), because several scrapers may ask. */
const COUNTS_LIFETIME_MS = 1_000;

/**
 * The metrics of one app, kept as plain numbers that are formatted only at a scrape. Labels come from closed lists,
 * never from client input.
 */
export class Metrics implements DatabaseObserver {
  private readonly registry = new Registry();

  readonly requests = new LabeledMetric(["api", "route", "method", "status", "outcome"], count);
  readonly durations = new LabeledMetric(["api", "route", "method"], seconds);
  readonly operations = new LabeledMetric(["type", "outcome"], count);
  readonly keyChecks = new LabeledMetric(["outcome"], count);
  private readonly joins = new LabeledMetric(["of"], () => new Distribution(SIZES));
  private readonly transactions = new LabeledMetric([], seconds);
  private readonly failures = new LabeledMetric(["kind"], count);
  private readonly counts = new Map<FeatureCounter, LabeledMetric<Count>>();
  private readonly distributions = new Map<FeatureHistogram, LabeledMetric<Distribution>>();

  /** @param batches names of the batches of the features */
  constructor(batches: readonly string[] = []) {
    const { registry } = this;
    registerCounts(registry, ["gateway_http_requests_total", "Completed requests."], this.requests);
    registerDistributions(
      registry,
      ["gateway_http_request_duration_seconds", "Time from the request head to the end of the response."],
      this.durations,
    );
    registerCounts(
      registry,
      ["gateway_graphql_operations_total", "GraphQL operations, by outcome."],
      this.operations,
    );
    registerCounts(registry, ["gateway_key_checks_total", "API key checks, by outcome."], this.keyChecks);
    registerDistributions(
      registry,
      ["gateway_database_batch_size", "Calls combined into one query, statement or transaction."],
      this.joins,
    );
    registerDistributions(
      registry,
      [
        "gateway_database_transaction_duration_seconds",
        "Time from the start of a transaction until it is durable.",
      ],
      this.transactions,
    );
    registerCounts(
      registry,
      ["gateway_database_errors_total", "Failed database operations, by kind."],
      this.failures,
    );
    registerGauge(
      registry,
      ["gateway_build_info", "Version of the gateway and of Node.js; always 1."],
      ["version", "node_version"],
      () => [[{ version, node_version: process.version }, 1]],
      "first",
    );
    // Create every series at the start: a rate needs a sample before the first event.
    for (const outcome of KEY_OUTCOMES) this.keyChecks.labels(outcome);
    for (const kind of FAILURES) this.failures.labels(kind);
    for (const what of [...DATABASE_BATCHES, ...batches]) this.joins.labels(what);
    this.transactions.labels();
  }

  /** Registers metrics of features. Each combination of labels is shown from the start: a rate needs a first sample. */
  register(metrics: readonly FeatureMetric[]): void {
    for (const metric of metrics) {
      if (metric.type === "reading") registerReading(this.registry, metric);
      else {
        const labeled = metric.type === "counter" ? this.countsOf(metric) : this.distributionsOf(metric);
        for (const labels of combinations(metric.labels)) labeled.labels(...labels);
      }
    }
  }

  count(counter: FeatureCounter, labels: readonly string[], by = 1): void {
    this.countsOf(counter)
      .labels(...labels)
      .inc(by);
  }

  observe(histogram: FeatureHistogram, measure: () => readonly number[]): void {
    const distribution = this.distributionsOf(histogram).labels();
    for (const value of measure()) distribution.observe(value);
  }

  coalesced(what: string, calls: number): void {
    this.joins.labels(what).observe(calls);
  }

  transaction(seconds: number): void {
    this.transactions.labels().observe(seconds);
  }

  failed(failure: Failure): void {
    this.failures.labels(failure).inc();
  }

  /**
   * Registers gauges of the work that waits, in all processes.
   * @param count counts it in the database; while that fails, the gauges have no values
   */
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
      ["gateway_lanes", "Lanes, the units of ordered work, by whether their work is due."],
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
      ["gateway_oldest_due_lane_seconds", "How long the oldest due lane has been due; 0 if none is."],
      [],
      async () => {
        const now = await counts();
        return now === undefined ? [] : [[{}, now.oldestDueSeconds]];
      },
      "first",
    );
  }

  /** Registers a gauge of the in-flight requests. */
  watchRequests(requests: { readonly count: number }): void {
    registerGauge(
      this.registry,
      ["gateway_http_requests_in_flight", "Requests not answered yet."],
      [],
      () => [[{}, requests.count]],
    );
  }

  /** Registers gauges of the database's queues and connections. */
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
   * Registers process metrics: CPU, memory, garbage collection, event loop. Call once per process: they never stop.
   * @param worker number of the process, if it is one of several workers
   */
  watchProcess(worker?: number): void {
    collectDefaultMetrics({ register: this.registry });
    const labels: Record<string, string> = worker === undefined ? {} : { worker: String(worker) };
    new Counter({
      name: "gateway_event_loop_busy_seconds_total",
      help: "Time that the event loop was busy: a rate of 1 means that the process is saturated.",
      labelNames: Object.keys(labels),
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(labels, performance.eventLoopUtilization().active / 1000);
      },
    });
  }

  private countsOf(metric: FeatureCounter): LabeledMetric<Count> {
    const known = this.counts.get(metric);
    if (known !== undefined) return known;
    const labeled = new LabeledMetric(Object.keys(metric.labels), count);
    this.counts.set(metric, labeled);
    registerCounts(this.registry, [metric.name, metric.help], labeled);
    return labeled;
  }

  private distributionsOf(metric: FeatureHistogram): LabeledMetric<Distribution> {
    const known = this.distributions.get(metric);
    if (known !== undefined) return known;
    const labeled = new LabeledMetric(Object.keys(metric.labels), () => new Distribution(metric.bounds));
    this.distributions.set(metric, labeled);
    registerDistributions(this.registry, [metric.name, metric.help], labeled);
    return labeled;
  }

  /** All metrics, for `aggregateMetrics`. */
  values(): Promise<MetricValues> {
    return this.registry.getMetricsAsJSON();
  }

  /** All metrics in the Prometheus text format 0.0.4. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }
}
