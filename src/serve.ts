import "./no-inspector";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { readyNotice } from "./banner";
import { type Config, loadConfig } from "./config";
import { createLogger } from "./logger";
import { stopOnSignals } from "./signals";
import { exportsLogs, startTelemetryOf } from "./telemetry/start";

/** Runs the service with the settings from the environment, until a signal stops it. */
export async function serve(): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLogger(config.logLevel, undefined, exportsLogs(config));
  if (config.isRestored) {
    // Marks the database as restored once for all workers, before any of them delivers messages.
    const { declareRestored }: typeof import("./server-process") = require("./server-process");
    await declareRestored(config, log);
  }
  if (config.workers === 1) return serveAlone(config, log);
  // To save memory, the supervisor of several workers does not load the server's modules.
  const { supervise }: typeof import("./workers/supervisor") = require("./workers/supervisor");
  await supervise(config, log);
}

async function serveAlone(config: Config, log: Logger): Promise<void> {
  const server: typeof import("./server-process") = require("./server-process");
  const telemetry = startTelemetryOf(config, log);
  const started = server.startServer(config, log);
  telemetry?.exportMetrics(async () => (await started).app.metrics.values());
  stopOnSignals(log, async (signal) => {
    if (config.drainMs > 0) {
      // Does not wait for the server to start, so that a long start, such as a migration, does not delay the shutdown.
      void started.then(({ app }) => app.announceStop()).catch(() => undefined);
      log.info({ signal, ms: config.drainMs }, "draining");
      await sleep(config.drainMs);
    }
    log.info({ signal }, "stopping");
    await server.stopServer(started, telemetry, log);
    log.info("stopped");
    process.exit(0);
  });
  process.stdout.write(readyNotice(config, (await started).address));
}
