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

/** How long a shutdown may take before it is forced (ms). */
const STOP_TIMEOUT_MS = 10_000;
/**
 * Signals within this interval (ms) count as one, because npm forwards a signal that the terminal has already sent to the
 * whole process group.
 */
const SIGNAL_DEBOUNCE_MS = 500;

/**
 * Runs the server with the settings of the environment, until a signal stops the process.
 * @throws Error when it cannot start
 */
export async function serve(): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLogger(config.logLevel);
  const tracing = config.tracing && loadOpenTelemetry()(config.tracing, log);
  const started = start(config, log);
  stopOnSignals(started, tracing, config, log);
  await started;
}

/** Loads OpenTelemetry only when tracing is enabled, because loading takes a tenth of a second. */
const loadOpenTelemetry = () => {
  const { startTracing }: typeof import("./telemetry/open-telemetry") = require("./telemetry/open-telemetry");
  return startTracing;
};

async function start(config: Config, log: Logger): Promise<App> {
  const app = await createApp(config, createDataSource(config.databaseUrl, config.databasePoolSize), log);
  app.metrics.watchProcess();
  // Fastify would listen on every address of `localhost` but apply limits and shutdown only to the first.
  const { address: host } = await lookup(config.host);
  // Listen before bootstrapping: its secrets are printed once and must not be lost to EADDRINUSE.
  await app.http.listen({ port: config.port, host });
  if (config.operationsPort !== undefined) await app.listenForManagement(config.operationsPort, host);
  const first = await bootstrap(app.services);
  const address = addressOf(config, app.http.server.address());
  if (first) process.stdout.write(firstStartNotice(first, address));
  await warnOfRefusedKeys(app, config, log);
  process.stdout.write(readyNotice(config, address));
  return app;
}

async function warnOfRefusedKeys({ services }: App, { environment }: Config, log: Logger): Promise<void> {
  const keys = await services.keys.countRefusedByEnvironment();
  for (const [other, count] of Object.entries(keys)) {
    const refused =
      count === 1 ? "1 active API key is refused: it is" : `${count} active API keys are refused: they are`;
    log.warn(
      { keys: count, environment: other },
      `${refused} for ${other}, and this server is for ${environment}; ` +
        "mint new ones, or list their environment in ACCEPT_KEY_ENVIRONMENTS",
    );
  }
}

/** Shuts down on SIGTERM and SIGINT, after startup completes, because it may still have to print new secrets. */
function stopOnSignals(
  started: Promise<App>,
  tracing: Tracing | undefined,
  { drainMs }: Config,
  log: Logger,
): void {
  let stoppingSince: number | undefined;
  const stop = async (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < SIGNAL_DEBOUNCE_MS) return;
      log.warn({ signal }, "stopping immediately");
      process.exit(1);
    }
    stoppingSince = performance.now();
    if (drainMs > 0) {
      (await started).announceStop();
      log.info({ signal, ms: drainMs }, "draining");
      await sleep(drainMs);
    }
    log.info({ signal }, "stopping");
    setTimeout(() => {
      log.error("stop took too long");
      process.exit(1);
    }, STOP_TIMEOUT_MS).unref();
    const app = await started;
    await app.close();
    await tracing?.close();
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => void stop(signal).catch((error) => reportAndExit(error)));
  }
}
