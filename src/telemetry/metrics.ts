import { performance } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import type { Database } from "../database/database";
import { DATABASE_BATCHES, type DatabaseObserver, FAILURES, type Failure } from "../database/observer";
import { version } from "../version";
import { registerCounts, registerDistributions, registerGauge } from "./exposition";
import { Count, Distribution, LabeledMetric } from "./labeled-metric";

/** From a request that waits for nothing to one that its client has given up on (s). */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** What may become of a key that is presented. */
const KEY_OUTCOMES = [
  "accepted",
  "invalid_api_key",
  "key_expired",
  "key_not_resolvable",
  "key_revoked",
  "unavailable",
] as const;

const count = () => new Count();
const seconds = () => new Distribution(SECONDS);

/**
 * What one app tells of itself to operators. It is counted in plain numbers, which cost a request next to nothing; only
 * a scrape makes text of them. Labels come from closed lists, never from what a client sent.
 */
export class Metrics implements DatabaseObserver {
  private readonly registry = new Registry();

  readonly requests = new LabeledMetric(["api", "route", "method", "status"], count);
  readonly durations = new LabeledMetric(["api", "route", "method"], seconds);
  readonly operations = new LabeledMetric(["type", "outcome"], count);
  readonly keyChecks = new LabeledMetric(["outcome"], count);
  private readonly joins = new LabeledMetric(["of"], () => new Distribution(SIZES));
  private readonly transactions = new LabeledMetric([], seconds);
  private readonly failures = new LabeledMetric(["kind"], count);

  /** @param batches names of what the lookups of features are combined into */
  constructor(batches: readonly string[] = []) {
    const { registry } = this;
    registerCounts(registry, ["gateway_http_requests_total", "Requests that ended."], this.requests);
    registerDistributions(
      registry,
      ["gateway_http_request_duration_seconds", "From the head of a request to the end of its answer."],
      this.durations,
    );
    registerCounts(
      registry,
      ["gateway_graphql_operations_total", "GraphQL operations, by outcome."],
      this.operations,
    );
    registerCounts(
      registry,
      ["gateway_key_checks_total", "API keys presented, by what became of them."],
      this.keyChecks,
    );
    registerDistributions(
      registry,
      ["gateway_database_batch_size", "Calls that were joined into one query, statement or transaction."],
      this.joins,
    );
    registerDistributions(
      registry,
      [
        "gateway_database_transaction_duration_seconds",
        "From the begin of a transaction until it was durable.",
      ],
      this.transactions,
    );
    registerCounts(
      registry,
      ["gateway_database_errors_total", "Work on the database that failed, by kind."],
      this.failures,
    );
    registerGauge(
      registry,
      ["gateway_build_info", "The program; always 1."],
      ["version", "node_version"],
      () => [[{ version, node_version: process.version }, 1]],
    );
    // From the start, so that a rate over the first of a kind is not lost.
    for (const outcome of KEY_OUTCOMES) this.keyChecks.labels(outcome);
    for (const kind of FAILURES) this.failures.labels(kind);
    for (const what of [...DATABASE_BATCHES, ...batches]) this.joins.labels(what);
    this.transactions.labels();
  }

  joined(what: string, calls: number): void {
    this.joins.labels(what).observe(calls);
  }

  transaction(seconds: number): void {
    this.transactions.labels().observe(seconds);
  }

  failed(failure: Failure): void {
    this.failures.labels(failure).inc();
  }

  /** Adds how many requests are under way. */
  watchRequests(requests: { readonly count: number }): void {
    registerGauge(
      this.registry,
      ["gateway_http_requests_in_flight", "Requests that are not answered yet."],
      [],
      () => [[{}, requests.count]],
    );
  }

  /** Adds how busy the way to the rows is. */
  watch(database: Pick<Database, "stats">): void {
    registerGauge(
      this.registry,
      ["gateway_database_waiting", "Calls that wait for their turn at the database, by what they wait for."],
      ["for"],
      () => Object.entries(database.stats().waiting).map(([what, calls]) => [{ for: what }, calls]),
    );
    registerGauge(
      this.registry,
      ["gateway_database_connections", "Connections of the pool, by state."],
      ["state"],
      () => Object.entries(database.stats().connections ?? {}).map(([state, n]) => [{ state }, n]),
    );
  }

  /** Adds what the process does: CPU, memory, garbage collection, event loop. Once a process, for it never ends. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
    new Counter({
      name: "gateway_event_loop_busy_seconds_total",
      help: "Time for which the event loop was at work: its rate is 1 where the process is at its limit.",
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(performance.eventLoopUtilization().active / 1000);
      },
    });
  }

  /** Everything, in Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }
}
