import cluster, { type Worker } from "node:cluster";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "../errors";
import type { FromWorker, ToWorker } from "./messages";

/** Max time for a worker to stop (ms), longer than its own limit. */
const STOP_TIMEOUT_MS = 11_000;

/** Time for responses to end the connections that are in use (ms). */
const RETIRE_MS = 1_000;

/** Max time for a worker's last messages to arrive after it has exited (ms). */
const DISCONNECT_TIMEOUT_MS = 500;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A `node:cluster` message and the connection handed over with it. */
type Handover = (message: { key?: string }, handle?: { close?: () => void }, ...rest: unknown[]) => boolean;

/** A worker, from the supervisor's point of view. */
export class WorkerProcess {
  /** Resolves with the address of the service once the worker listens. */
  readonly started: Promise<string>;
  readonly exited: Promise<Exit>;
  /** True if the worker has been asked to stop. */
  isStopping = false;

  private constructor(
    readonly number: number,
    private readonly worker: Worker,
  ) {
    this.exited = exitOf(worker);
    this.started = new Promise((resolve, reject) => {
      this.onMessage((message) => {
        if (message.type === "ready") resolve(message.address);
        if (message.type === "failed") reject(new StartupError(message.reason));
        if (message.type === "closed") this.send({ type: "exit" });
      });
      void this.exited.then(({ code, signal }) =>
        reject(new StartupError(`worker ${number} exited during startup (${signal ?? `code ${code}`})`)),
      );
    });
    this.started.catch(() => undefined);
    closeLostConnections(worker);
  }

  /** Starts a worker in a slot, numbered from 1. */
  static fork(number: number): WorkerProcess {
    cluster.setupPrimary({ exec: join(__dirname, "worker.js"), args: [String(number)] });
    return new WorkerProcess(number, cluster.fork());
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  onMessage(listener: (message: FromWorker) => void): void {
    this.worker.on("message", listener);
  }

  send(message: ToWorker): void {
    // Ignores errors, because the worker may just have exited.
    if (this.worker.isConnected()) this.worker.send(message, () => undefined);
  }

  /** Stops the worker after its responses have ended the connections in use; closing these could lose a request. */
  async retire(): Promise<Exit> {
    this.isStopping = true;
    this.send({ type: "retire" });
    await Promise.race([this.exited, sleep(RETIRE_MS)]);
    return this.stop();
  }

  /** Shuts down the worker gracefully, or kills it if that takes too long. */
  async stop(): Promise<Exit> {
    this.isStopping = true;
    this.send({ type: "stop" });
    const timer = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  kill(): void {
    this.worker.process.kill("SIGKILL");
  }
}

/** Resolves once a worker has exited and its last messages have arrived. */
async function exitOf(worker: Worker): Promise<Exit> {
  const disconnected = new Promise<true>((resolve) => worker.once("disconnect", () => resolve(true)));
  const exit = await new Promise<Exit>((resolve) => {
    worker.once("exit", (code, signal) => resolve({ code, signal: signal as NodeJS.Signals | null }));
    // A message to a worker that has just exited also causes an error. A worker without a process could not be started.
    worker.on("error", () => {
      if (worker.process.pid === undefined) resolve({ code: null, signal: null });
    });
  });
  const isDisconnected = await Promise.race([disconnected, sleep(DISCONNECT_TIMEOUT_MS, false)]);
  // If a connection was being handed to the worker, Node emits no event and hands it more connections.
  if (!isDisconnected) worker.process.emit("disconnect");
  return exit;
}

/** Closes a connection that was being handed to a worker that died; `node:cluster` would keep it open forever. */
function closeLostConnections({ process }: Worker): void {
  let hasEnded = false;
  const last = new Map<string, { close?: () => void }>();
  const send = process.send.bind(process) as unknown as Handover;
  const sendAndRemember: Handover = (message, handle, ...rest) => {
    // Node sends a server's next handle only after the worker has accepted this one, which Node then closes here.
    if (handle && message.key !== undefined) last.set(message.key, handle);
    if (hasEnded && handle) {
      handle.close?.();
      return false;
    }
    return send(message, handle, ...rest);
  };
  process.send = sendAndRemember as unknown as typeof process.send;
  process.on("message", ({ type }: FromWorker) => {
    // A worker that has closed its server returns connections that it does not accept.
    if (type === "closed") last.clear();
  });
  process.once("exit", () => {
    hasEnded = true;
    for (const handle of last.values()) handle.close?.();
  });
}
