import "./ignore-signals";
import cluster from "node:cluster";
import { loadConfig } from "../config";
import { explain, tolerateClosedPipe } from "../exit";
import { createLogger } from "../logger";
import { reportCounts } from "../rate-limits/count-reports";
import { KeyWindows } from "../rate-limits/key-windows";
import { startServer, stopServer } from "../server-process";
import { exportsLogs, startTelemetryOf } from "../telemetry/start";
import type { FromWorker, ToWorker } from "./messages";
import { ScrapeRequests } from "./scrape-requests";

/** Runs as one of several serving processes: obeys the supervisor, and stops if the supervisor is gone. */
function work(): void {
  const number = Number(process.argv[2]);
  // Drops the message if the supervisor is gone.
  const send = (message: FromWorker, sent = () => {}) =>
    process.connected ? process.send?.(message, undefined, undefined, sent) : sent();

  const config = loadConfig(process.env);
  const log = createLogger(config.logLevel, number, exportsLogs(config));
  const telemetry = startTelemetryOf(config, log);
  const windows = new KeyWindows(reportCounts(config.workers, (counts) => send({ type: "counts", counts })));
  const scrapes = new ScrapeRequests((id) => send({ type: "scrape", id }));
  const metrics = () => scrapes.ask();
  const relay = (channel: string) => void send({ type: "announcement", channel });
  const role = { number, isFirst: number === 1, windows, relay, metrics };
  const started = startServer(config, log, role);

  const collect = async (id: number, sent?: () => void) => {
    const { app } = await started;
    send({ type: "collected", id, values: await app.metrics.values() }, sent);
  };
  const exit = () => process.exit(0);
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await stopServer(started, telemetry, log);
    await new Promise<void>((resolve) => void collect(0, resolve));
    process.once("disconnect", exit);
    if (process.connected) send({ type: "closed" });
    else exit();
  };
  const handle = async (message: ToWorker) => {
    if (message.type === "counts") windows.add(message.counts);
    if (message.type === "announcement") (await started).app.services.database.relay(message.channel);
    if (message.type === "scraped") scrapes.answer(message.id, message.text);
    if (message.type === "collect") await collect(message.id);
    if (message.type === "announceStop") (await started).app.announceStop();
    if (message.type === "retire") (await started).app.retire();
    if (message.type === "stop") await stop();
    if (message.type === "exit") exit();
  };
  const fail = (error: unknown) => send({ type: "failed", reason: explain(error) }, () => process.exit(1));

  process.on("message", (message: ToWorker) => void handle(message).catch(fail));
  const { worker } = cluster;
  worker?.once("disconnect", () => {
    // Node would otherwise end the process when the supervisor disconnects.
    worker.exitedAfterDisconnect = true;
    log.warn("the supervisor exited, so this worker is stopping");
    void started
      .then(({ app }) => app.announceStop())
      .then(stop)
      .catch(fail);
  });
  started.then(({ address }) => send({ type: "ready", address }), fail);
}

tolerateClosedPipe();
work();
