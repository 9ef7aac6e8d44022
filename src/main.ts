import "./no-inspector";
import "reflect-metadata";
import { lookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type App, createApp } from "./app";
import { addressOf, firstStartNotice, readyNotice } from "./banner";
import { bootstrap } from "./bootstrap";
import { type Config, loadConfig } from "./config";
import { reportAndExit } from "./exit";
import { createDataSource } from "./features";
import { createLogger } from "./logger";
import type { Tracing } from "./telemetry/open-telemetry";

/** How long a stop may take before it is forced (ms). */
const STOP_LIMIT_MS = 10_000;
/**
 * Signals within this time (ms) are one: npm sends on to the service what the terminal, or whoever ends a group of
 * processes, has sent to both.
 */
const ONE_SIGNAL_MS = 500;

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLogger(config.logLevel);
  const tracing = config.tracing && loadOpenTelemetry()(config.tracing, log);
  const started = start(config, log);
  stopOnSignals(started, tracing, config, log);
  await started;
}

/** Loaded only where traces are wanted: it takes a tenth of a second. */
const loadOpenTelemetry = () => {
  const { startTracing }: typeof import("./telemetry/open-telemetry") = require("./telemetry/open-telemetry");
  return startTracing;
};

async function start(config: Config, log: Logger): Promise<App> {
  const app = await createApp(config, createDataSource(config.databaseUrl, config.databasePoolSize), log);
  app.metrics.watchProcess();
  // Of `localhost`, Fastify would take all addresses, and keep the limits and the stop to the first.
  const { address: host } = await lookup(config.host);
  // First, for what the first start makes is shown once, and a port in use would lose it.
  await app.http.listen({ port: config.port, host });
  if (config.operationsPort !== undefined) await app.listenForManagement(config.operationsPort, host);
  const first = await bootstrap(app.services.database, config);
  const address = addressOf(config, app.http.server.address());
  if (first) process.stdout.write(firstStartNotice(first, address));
  process.stdout.write(readyNotice(config, address));
  return app;
}

/** A start is not cut off by the first signal, for it may have made what it is still to show. */
function stopOnSignals(
  started: Promise<App>,
  tracing: Tracing | undefined,
  { drainMs }: Config,
  log: Logger,
): void {
  let toldAt: number | undefined;
  const stop = async (signal: NodeJS.Signals) => {
    if (toldAt !== undefined) {
      if (performance.now() - toldAt < ONE_SIGNAL_MS) return;
      log.warn({ signal }, "stopping at once");
      process.exit(1);
    }
    toldAt = performance.now();
    if (drainMs > 0) {
      (await started).announceStop();
      log.info({ signal, ms: drainMs }, "draining");
      await sleep(drainMs);
    }
    log.info({ signal }, "stopping");
    setTimeout(() => {
      log.error("stop took too long");
      process.exit(1);
    }, STOP_LIMIT_MS).unref();
    const app = await started;
    await app.close();
    await tracing?.close();
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => void stop(signal).catch(reportAndExit));
  }
}

main().catch(reportAndExit);
