import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { DataSource } from "typeorm";
import type { Config } from "./config";
import { Database } from "./database/database";
import { Deliverer } from "./delivery/deliverer";
import {
  choresOf,
  closeFeatures,
  createServices,
  laneWork,
  metricsOf,
  retentionOf,
  type Services,
  senderShares,
  startFeatures,
  stopFeatures,
} from "./features";
import { startHousekeeping } from "./housekeeping";
import type { Management } from "./http/management-server";
import type { InFlightRequests } from "./http/plugins/in-flight-requests";
import type { KeyWindows } from "./rate-limits/key-windows";
import { Metrics } from "./telemetry/metrics";

/** The state that an app shares with the other workers of its service. */
export interface Peers {
  /** Rate limit windows that count requests to all workers. */
  windows: KeyWindows;
  /** Relays announcements to the other workers, which call `Database.relay`. */
  relay(channel: string): void;
  /** Returns the metrics of all workers like `Metrics.text`, or throws a GatewayError `unavailable`. */
  metrics(): Promise<string>;
  /** True for the worker that does the housekeeping and logs startup warnings. */
  isFirst: boolean;
}

const isFirst = (peers: Peers | undefined) => peers?.isFirst ?? true;

/**
 * Connects and migrates the database and creates the services; throws a StartupError.
 * @param peers undefined if the process is the only worker
 */
export async function openServices(
  config: Config,
  source: DataSource,
  log: Logger,
  peers?: Peers,
): Promise<{ services: Services; metrics: Metrics }> {
  const metrics = new Metrics();
  const database = await Database.open(source, {
    serving: true,
    observer: metrics,
    ...(peers && { relay: peers.relay }),
  });
  metrics.watch(database);
  await database.migrate();
  const services = createServices({ database, config, log }, metrics);
  // Even a process that delivers nothing records events, whose positions must not be used twice.
  await services.hooks.the("restoreGuard").check();
  const warning = await services.instanceKey.open();
  if (warning !== undefined && isFirst(peers)) log.warn(warning);
  metrics.watchLanes(() => services.lanes.counts());
  metrics.register(metricsOf(services));
  return { services, metrics };
}

/** Background work of an app: housekeeping, deliveries, and the work of features. */
export interface Background {
  /** Stops the work while requests are still finishing. */
  stop(): Promise<void>;
  /** Stores the remaining data and releases resources after the last request has ended. */
  close(): Promise<void>;
}

/** Starts a deliverer that works through due lanes with the given number of senders. */
export const startDeliverer = (services: Services, senders: number): Deliverer =>
  new Deliverer(services.database, services.lanes, {
    restores: services.hooks.the("restoreGuard"),
    work: laneWork(services),
    senders,
    shares: senderShares({ ...services.config, deliveryWorkers: senders }),
    onError: (err) => services.log.warn({ err }, "delivery failed"),
  });

/** Starts housekeeping (only in a service's first process), deliveries and the features' background work. */
export function startBackground(services: Services, peers?: Peers): Background {
  const { database, config, log, targets } = services;
  const stopHousekeeping = isFirst(peers)
    ? startHousekeeping(
        database,
        retentionOf(config),
        (err) => log.warn({ err }, "housekeeping failed"),
        choresOf(services),
      )
    : undefined;
  const senders = config.deliveryWorkers;
  const deliverer = senders > 0 ? startDeliverer(services, senders) : undefined;
  const stopStarted = deliverer && startFeatures(services);
  return {
    stop: async () => {
      await Promise.all([stopHousekeeping?.(), stopFeatures(services), stopStarted?.(), deliverer?.close()]);
    },
    close: async () => {
      targets.close();
      await closeFeatures(services);
    },
  };
}

interface Started {
  http: FastifyInstance;
  management: Management;
  graphql: { closeConnections(): Promise<void>; stop(): Promise<void> };
  background: Background;
  requests: InFlightRequests;
  services: Services;
}

/** Drains in-flight requests for a few seconds, then closes the database. */
export async function closeInOrder(started: Started): Promise<void> {
  const { http, management, graphql, background, requests, services } = started;
  const stopped = Promise.all([graphql.closeConnections(), background.stop()]);
  const closed = http.close();
  const givenUp = await Promise.race([closed.then(() => 0), requests.drained()]);
  if (givenUp > 0) services.log.warn({ requests: givenUp }, "aborting requests that did not finish in time");
  http.server.closeAllConnections();
  await closed;
  await management.close();
  await graphql.stop();
  await stopped;
  await background.close();
  await services.database.close();
}
