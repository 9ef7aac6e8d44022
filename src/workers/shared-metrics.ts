import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { aggregate, type MetricValues, sumOfEnded } from "../telemetry/aggregate";
import type { WorkerProcess } from "./worker-process";

/** Max time to wait for the metrics of a worker (ms); the worker may hang. */
const TIMEOUT_MS = 1_000;

/** The metrics of all workers and of the supervisor. */
export class SharedMetrics {
  private readonly registry = new Registry();
  private readonly deaths: Counter;
  /** The latest metrics of each live worker. */
  private readonly last = new Map<WorkerProcess, MetricValues>();
  /** Counters and histograms of workers that have exited. */
  private ended: MetricValues = [];
  private readonly requests = new Map<number, () => void>();
  private lastRequest = 0;
  private running: Promise<Registry> | undefined;

  /** @param listening returns the number of workers that listen */
  constructor(listening: () => number) {
    // The supervisor's event-loop delay is not reported, and measuring it would wake the process 100 times a second.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 60_000 });
    new Gauge({
      name: "gateway_workers",
      help: "Workers that are listening.",
      registers: [this.registry],
      collect() {
        this.set(listening());
      },
    });
    this.deaths = new Counter({
      name: "gateway_worker_deaths_total",
      help: "Workers that ended unexpectedly or could not start.",
      registers: [this.registry],
    });
  }

  /** Counts a worker that has died. */
  died(): void {
    this.deaths.inc();
  }

  /** Tracks the metrics of a worker until it exits. */
  watch(worker: WorkerProcess): void {
    this.last.set(worker, []);
    worker.onMessage((message) => {
      if (message.type !== "collected") return;
      this.last.set(worker, message.values);
      this.requests.get(message.id)?.();
    });
    void worker.exited.then(() => {
      this.ended = sumOfEnded([this.ended, this.last.get(worker) ?? []]);
      this.last.delete(worker);
    });
  }

  /** Returns the metrics of all processes in the Prometheus text format. */
  async text(): Promise<string> {
    return (await this.all()).metrics();
  }

  /** Returns the metrics of all processes. */
  async values(): Promise<MetricValues> {
    return (await this.all()).getMetricsAsJSON();
  }

  /** Collects the metrics; concurrent calls wait for the same collection. */
  private all(): Promise<Registry> {
    this.running ??= this.collect().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async collect(): Promise<Registry> {
    await Promise.all([...this.last.keys()].map((worker) => this.refresh(worker)));
    const own = await this.registry.getMetricsAsJSON();
    const ofProcess = own.filter(({ name }) => /^(process|gateway)_/.test(name));
    return aggregate([ofProcess, this.ended, ...this.last.values()]);
  }

  /** Asks a worker for its metrics; if it does not respond in time, its last metrics are used. */
  private refresh(worker: WorkerProcess): Promise<void> {
    this.lastRequest += 1;
    const id = this.lastRequest;
    const answered = new Promise<void>((resolve) => {
      this.requests.set(id, resolve);
      setTimeout(resolve, TIMEOUT_MS).unref();
    });
    worker.send({ type: "collect", id });
    return answered.finally(() => this.requests.delete(id));
  }
}
