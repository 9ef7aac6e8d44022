import { performance } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import type { Database } from "../database/database";
import { DATABASE_BATCHES, type DatabaseObserver, FAILURES, type Failure } from "../database/observer";
import { version } from "../version";
import type { MetricValues } from "./aggregate";
import { registerCounts, registerDistributions, registerGauge } from "./exposition";
import { Count, Distribution, LabeledMetric } from "./labeled-metric";

/** Histogram bounds (s), from a request that waits for nothing to one whose client has timed out. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Histogram bounds (s), from a message that leaves at once to one that waits until it nearly expires. */
const WAITING_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 86_400];
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

/** Label values of the features. */
export interface SeriesOfFeatures {
  /** Names of the batches. */
  batches: readonly string[];
  messageStatuses: readonly string[];
  lineKinds: readonly string[];
  attemptOutcomes: readonly string[];
  deciders: readonly string[];
  decisionOutcomes: readonly string[];
  webhookOutcomes: readonly string[];
  webhookDisabledReasons: readonly string[];
}

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
  private readonly messages = new LabeledMetric(["status"], count);
  private readonly attempts = new LabeledMetric(["kind", "outcome"], count);
  private readonly recoveries = new LabeledMetric([], count);
  private readonly decisions = new LabeledMetric(["decider", "outcome"], count);
  private readonly webhookAttempts = new LabeledMetric(["outcome"], count);
  private readonly webhooksDisabled = new LabeledMetric(["reason"], count);
  private readonly deliveries = new LabeledMetric([], () => new Distribution(WAITING_SECONDS));

  constructor(series: Partial<SeriesOfFeatures> = {}) {
    const { batches = [], messageStatuses = [], lineKinds = [], attemptOutcomes = [] } = series;
    const {
      deciders = [],
      decisionOutcomes = [],
      webhookOutcomes = [],
      webhookDisabledReasons = [],
    } = series;
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
    registerCounts(
      registry,
      ["gateway_messages_total", "Messages that reached a status in this process."],
      this.messages,
    );
    registerCounts(
      registry,
      ["gateway_delivery_attempts_total", "Attempts to send a message, by kind of line and outcome."],
      this.attempts,
    );
    registerCounts(
      registry,
      [
        "gateway_delivery_leases_recovered_total",
        "Messages taken over from processes that ended while they sent them.",
      ],
      this.recoveries,
    );
    registerDistributions(
      registry,
      [
        "gateway_message_delivery_duration_seconds",
        "Time from the acceptance of a message until it was sent.",
      ],
      this.deliveries,
    );
    registerCounts(
      registry,
      ["gateway_decisions_total", "Decisions, by what decided and their outcome."],
      this.decisions,
    );
    registerCounts(
      registry,
      ["gateway_webhook_attempts_total", "Attempts to deliver an event to a webhook endpoint, by outcome."],
      this.webhookAttempts,
    );
    registerCounts(
      registry,
      ["gateway_webhook_endpoints_disabled_total", "Webhook endpoints disabled because they failed."],
      this.webhooksDisabled,
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
    for (const status of messageStatuses) this.messages.labels(status);
    for (const kind of lineKinds) for (const outcome of attemptOutcomes) this.attempts.labels(kind, outcome);
    for (const decider of deciders)
      for (const outcome of decisionOutcomes) this.decisions.labels(decider, outcome);
    for (const outcome of webhookOutcomes) this.webhookAttempts.labels(outcome);
    for (const reason of webhookDisabledReasons) this.webhooksDisabled.labels(reason);
    this.recoveries.labels();
    this.deliveries.labels();
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

  reached(status: string, messages: number): void {
    this.messages.labels(status).inc(messages);
  }

  attempted(kind: string, outcome: string, attempts: number): void {
    this.attempts.labels(kind, outcome).inc(attempts);
  }

  recovered(messages: number): void {
    this.recoveries.labels().inc(messages);
  }

  delivered(acceptedAt: readonly string[]): void {
    const now = Date.now();
    // The clock of the process that accepted the message may be ahead.
    for (const at of acceptedAt) this.deliveries.labels().observe(Math.max(0, now - Date.parse(at)) / 1000);
  }

  decided(decider: string, outcome: string): void {
    this.decisions.labels(decider, outcome).inc();
  }

  webhooksAttempted(outcome: string, attempts: number): void {
    this.webhookAttempts.labels(outcome).inc(attempts);
  }

  webhookDisabled(reason: string): void {
    this.webhooksDisabled.labels(reason).inc();
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

  /** Registers a gauge of the last restore, which has no value without one. */
  watchRestores(restores: { restoredAt(): Promise<string | null> }): void {
    registerGauge(
      this.registry,
      [
        "gateway_database_restored_timestamp_seconds",
        "When the database was restored from a backup, until that is confirmed (Unix time).",
      ],
      [],
      async () => {
        const at = await restores.restoredAt().catch(() => null);
        return at === null ? [] : [[{}, Date.parse(at) / 1000]];
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

  /** Registers the open streams of events and the events that they have sent. */
  watchStreams(streams: { readonly open: number; readonly sent: number }): void {
    registerGauge(this.registry, ["gateway_event_streams", "Open streams of events."], [], () => [
      [{}, streams.open],
    ]);
    new Counter({
      name: "gateway_events_sent_total",
      help: "Events sent to followers.",
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(streams.sent);
      },
    });
  }

  /** Registers gauges of the database's queues and connections. */
  watch(database: Pick<Database, "stats">): void {
    registerGauge(
      this.registry,
      ["gateway_database_waiting", "Calls that wait for the database, by what they wait for."],
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
