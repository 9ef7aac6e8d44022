import "reflect-metadata";
import { setTimeout as timer } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { createApp } from "./app";
import { bootstrap } from "./bootstrap";
import { loadConfig } from "./config";
import { reportAndExit } from "./exit";
import { createLogger } from "./logger";
import { addressOf, firstStartNotice, readyNotice } from "./notices";

/** How long a stop may take before it is forced (ms). */
const STOP_LIMIT_MS = 10_000;

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLogger(config.logLevel);
  // Not at the top: it reads the settings, and a bad one must be reported in one line.
  const { default: source } = require("../ormconfig") as typeof import("../ormconfig");
  const app = await createApp(config, source, log);
  app.metrics.watchProcess();
  // First, for what the first start makes is shown once, and a port in use would lose it.
  await app.http.listen({ port: config.port, host: config.host });
  const first = await bootstrap(app.services.database, config);
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    app.announceStop();
    if (config.drainMs > 0) {
      log.info({ signal, ms: config.drainMs }, "draining");
      await setTimeout(config.drainMs);
    }
    log.info({ signal }, "stopping");
    timer(() => {
      log.error("stop took too long");
      process.exit(1);
    }, STOP_LIMIT_MS).unref();
    await app.close();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);

  // Last, for whoever reads it may stop the process at once.
  const address = addressOf(config, app.http.server.address());
  if (first) process.stdout.write(firstStartNotice(first, address));
  process.stdout.write(readyNotice(config, address));
}

main().catch(reportAndExit);
