import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Logger } from "pino";
import { readyNotice } from "../banner";
import type { Config } from "../config";
import { KeyWindows } from "../rate-limits/key-windows";
import { stopOnSignals } from "../signals";
import type { Telemetry } from "../telemetry/open-telemetry";
import { startTelemetryOf } from "../telemetry/start";
import { SharedMetrics } from "./shared-metrics";
import { WorkerProcess } from "./worker-process";

const STDERR = 2;

/** Max time until the last worker starts to stop (ms); workers are stopped one by one. */
const STAGGER_MS = 2_000;

/** A worker that lived for at least this long (ms) is replaced immediately. */
const LASTING_MS = 60_000;
/** Delay before a slot gets a third worker within `LASTING_MS` (ms); it doubles with each additional worker. */
const RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 30_000;

/**
 * Serves with several worker processes until a signal stops them. A worker that dies is replaced; SIGHUP replaces all
 * workers.
 * @throws StartupError if a worker cannot start
 */
export async function supervise(config: Config, log: Logger): Promise<void> {
  const telemetry = startTelemetryOf(config, log);
  const supervisor = new Supervisor(config, log, telemetry);
  const started = supervisor.start();
  stopOnSignals(
    log,
    (signal) => supervisor.stop(signal),
    () => supervisor.kill(),
  );
  const hadTerminal = isatty(STDERR);
  process.on("SIGHUP", () => {
    if (!hadTerminal || isatty(STDERR)) return void supervisor.restart();
    // The terminal was closed. Restore the default, so that the signal ends the process and then the workers.
    process.removeAllListeners("SIGHUP");
    process.kill(process.pid, "SIGHUP");
  });
  const address = await started;
  if (address !== undefined) process.stdout.write(readyNotice(config, address));
}

/** Starts, replaces and stops the workers, and relays the state they share. */
class Supervisor {
  /** All live workers; during a restart, a slot has an old and a new worker. */
  private readonly live = new Set<WorkerProcess>();
  private readonly listening = new Set<WorkerProcess>();
  private readonly metrics = new SharedMetrics(() => this.listening.size);
  /** The combined rate limit counts of all workers, for new workers. */
  private readonly windows = new KeyWindows();
  /** Number of replacements since a worker last outlived `LASTING_MS`, by slot. */
  private readonly failures = new Map<number, number>();
  private state: "starting" | "serving" | "restarting" | "stopping" = "starting";

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    private readonly telemetry: Telemetry | undefined,
  ) {
    telemetry?.exportMetrics(() => this.metrics.values());
  }

  /**
   * Starts the first worker, and the others once it listens; returns the address, or undefined after a signal.
   * @throws StartupError if a worker cannot start, after stopping the others
   */
  async start(): Promise<string | undefined> {
    const first = this.fork(1);
    try {
      // The first worker migrates the database; the others would time out waiting for its lock.
      const address = await first.started;
      if (this.state === "stopping") return undefined;
      const others = Array.from({ length: this.config.workers - 1 }, (_, i) => this.fork(i + 2));
      await Promise.all(others.map(({ started }) => started));
      if (this.state === "starting") this.state = "serving";
      for (const worker of [first, ...others]) void this.replaceWhenDead(worker);
      return address;
    } catch (error) {
      if (this.state === "stopping") return undefined;
      this.state = "stopping";
      // Stops the workers gracefully, because the first one may already be serving requests.
      await Promise.all([...this.live].map((worker) => worker.stop()));
      throw error;
    }
  }

  /** Replaces the workers one by one; the old worker of a slot stops once the new one is listening. */
  async restart(): Promise<void> {
    if (this.state !== "serving") {
      this.log.warn({ state: this.state }, "ignoring SIGHUP in this state");
      return;
    }
    this.state = "restarting";
    this.log.info("restarting the workers");
    for (let number = 1; number <= this.config.workers && this.state === "restarting"; number++) {
      const old = this.at(number);
      if (await this.startReplacement(number)) await old?.retire();
      else if (this.state === "restarting") {
        this.state = "serving";
        this.log.error("the restart was abandoned, but the other workers keep serving");
        if (!this.at(number)) void this.replace(number);
      }
    }
    if (this.state !== "restarting") return;
    this.state = "serving";
    this.log.info("the workers have been restarted");
  }

  /** Shuts down the workers gracefully and exits. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.state = "stopping";
    const { drainMs } = this.config;
    for (const worker of this.live) worker.send({ type: "announceStop" });
    if (drainMs > 0) {
      this.log.info({ signal, ms: drainMs }, "draining");
      await sleep(drainMs);
    }
    this.log.info({ signal }, "stopping");
    const pause = STAGGER_MS / this.live.size;
    const exits: Promise<{ code: number | null }>[] = [];
    for (const worker of this.live) {
      exits.push(worker.stop());
      await Promise.race([worker.exited, sleep(pause)]);
    }
    const isOrderly = (await Promise.all(exits)).every(({ code }) => code === 0);
    this.log.info("stopped");
    await this.telemetry?.close();
    process.exit(isOrderly ? 0 : 1);
  }

  /** Ends all workers immediately. */
  kill(): void {
    for (const worker of this.live) worker.kill();
  }

  private fork(number: number): WorkerProcess {
    const worker = WorkerProcess.fork(number);
    this.live.add(worker);
    this.metrics.watch(worker);
    worker.send({ type: "counts", counts: this.windows.list() });
    worker.onMessage((message) => {
      if (message.type === "counts") this.windows.add(message.counts);
      if (message.type === "counts" || message.type === "announcement")
        for (const other of this.live) if (other !== worker) other.send(message);
      if (message.type === "scrape")
        this.metrics.text().then(
          (text) => worker.send({ type: "scraped", id: message.id, text }),
          (err) => this.log.error({ err }, "could not collect metrics"),
        );
    });
    worker.started.then(
      () => this.listening.add(worker),
      () => undefined,
    );
    void worker.exited.then(() => {
      this.live.delete(worker);
      this.listening.delete(worker);
    });
    return worker;
  }

  /** @returns true if a new worker listens in the slot */
  private async startReplacement(number: number): Promise<boolean> {
    const worker = this.fork(number);
    try {
      await worker.started;
      void this.replaceWhenDead(worker);
      return true;
    } catch (error) {
      if (!worker.isStopping && this.state !== "stopping") {
        this.metrics.died();
        const { message } = error as Error;
        this.log.error({ worker: number, reason: message }, "could not start a worker");
      }
      await worker.stop();
      return false;
    }
  }

  private async replaceWhenDead(worker: WorkerProcess): Promise<void> {
    const since = performance.now();
    const { code, signal } = await worker.exited;
    if (worker.isStopping || this.state === "stopping") return;
    const { number } = worker;
    this.metrics.died();
    this.log.error({ worker: number, code, signal }, "a worker died");
    if (performance.now() - since > LASTING_MS) this.failures.delete(number);
    await this.replace(number);
  }

  /** Starts workers in a slot until one is listening. */
  private async replace(number: number): Promise<void> {
    while (true) {
      const failures = this.failures.get(number) ?? 0;
      this.failures.set(number, failures + 1);
      if (failures > 0) await sleep(Math.min(MAX_RETRY_DELAY_MS, RETRY_DELAY_MS * 2 ** (failures - 1)));
      if (this.state === "stopping" || this.at(number) || (await this.startReplacement(number))) return;
    }
  }

  /** Returns the worker in a slot, ignoring workers that are stopping. */
  private at(number: number): WorkerProcess | undefined {
    return [...this.live].find((worker) => worker.number === number && !worker.isStopping);
  }
}
