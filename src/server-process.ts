import "./no-inspector";
import "./young-objects";
import "reflect-metadata";
import { lookup } from "node:dns/promises";
import type { Logger } from "pino";
import { type App, createApp } from "./app";
import { systemFor } from "./auth/context";
import { addressOf, firstStartNotice } from "./banner";
import { bootstrap } from "./bootstrap";
import type { Config } from "./config";
import { Database } from "./database/database";
import { createDataSource } from "./features";
import { RestoreService } from "./features/restores/restore.service";
import type { Peers } from "./lifecycle";
import type { Telemetry } from "./telemetry/open-telemetry";

/** Max duration of a shutdown before it is forced (ms). */
const STOP_TIMEOUT_MS = 10_000;

/** A serving process. */
export interface ServerProcess {
  app: App;
  /** The URL that users open. */
  address: string;
}

/** One of several workers; the first one also bootstraps the database. */
export interface WorkerRole extends Peers {
  number: number;
}

/**
 * Connects, migrates, listens, and prints the secrets of a first start.
 * @param role undefined for the only process of a service
 * @throws Error if the server cannot start
 */
export async function startServer(config: Config, log: Logger, role?: WorkerRole): Promise<ServerProcess> {
  const source = createDataSource(config.databaseUrl, config.databasePoolSize);
  const app = await createApp(config, source, log, undefined, role);
  app.metrics.watchProcess(role?.number);
  // Given `localhost`, Fastify listens on all its addresses but applies limits and shutdown only to the first.
  const { address: host } = await lookup(config.host);
  // Listen before bootstrapping: its secrets are printed once and must not be lost to EADDRINUSE.
  await app.http.listen({ port: config.port, host });
  if (config.operationsPort !== undefined) await app.listenForManagement(config.operationsPort, host);
  const address = addressOf(config, app.http.server.address());
  if (role?.isFirst ?? true) {
    const first = await bootstrap(app.services);
    if (first) process.stdout.write(firstStartNotice(first, address));
    await warnOfRejectedKeys(app, config, log);
  }
  return { app, address };
}

async function warnOfRejectedKeys({ services }: App, { environment }: Config, log: Logger): Promise<void> {
  const keys = await services.acceptedKeys.countRejectedByEnvironment();
  for (const [other, count] of Object.entries(keys)) {
    const rejected =
      count === 1
        ? "1 active API key is rejected because it is"
        : `${count} active API keys are rejected because they are`;
    log.warn(
      { keys: count, environment: other },
      `${rejected} for ${other}, but this server is for ${environment}. ` +
        "Mint new keys, or list their environment in ACCEPT_KEY_ENVIRONMENTS",
    );
  }
}

/** Marks the database as restored (`RESTORED`); a failure must throw, because nothing may be delivered then. */
export async function declareRestored(config: Config, log: Logger): Promise<void> {
  const database = await Database.open(createDataSource(config.databaseUrl, config.databasePoolSize));
  try {
    await database.migrate();
    await new RestoreService(database, log).declareRestored(systemFor);
  } finally {
    await database.close();
  }
  log.warn(
    "RESTORED is set: the lines were paused and the webhook endpoints were disabled. Unset it, or this will happen again on every start",
  );
}

/** Shuts down a server, which may still be starting, or ends the process with code 1 if that takes too long. */
export async function stopServer(
  started: Promise<ServerProcess>,
  telemetry: Telemetry | undefined,
  log: Logger,
): Promise<void> {
  // The timer also keeps the process running, which could otherwise exit during a pause, before everything is stored.
  const timer = setTimeout(() => {
    log.error("shutdown took too long");
    process.exit(1);
  }, STOP_TIMEOUT_MS);
  const { app } = await started;
  await app.close();
  await telemetry?.close();
  clearTimeout(timer);
}
