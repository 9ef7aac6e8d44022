import { Deliverer } from "./delivery/deliverer";
import {
  choresOf,
  closeFeatures,
  laneWork,
  retentionOf,
  type Services,
  senderShares,
  startFeatures,
  stopFeatures,
} from "./features";
import { startHousekeeping } from "./housekeeping";

/** Background work of an app: housekeeping, deliveries, and the work of features. */
export interface Background {
  /** Stops it, while requests still end. */
  stop(): Promise<void>;
  /** Stores or releases what requests used, after the last one has ended. */
  close(): Promise<void>;
}

/**
 * Starts housekeeping, deliveries and the background work of the features.
 * @param isFirst true if this is the process of its service that does the housekeeping
 */
export function startBackground(services: Services, isFirst: boolean): Background {
  const { database, config, hooks, lanes, log, targets } = services;
  const stopHousekeeping = isFirst
    ? startHousekeeping(
        database,
        retentionOf(config),
        (err) => log.warn({ err }, "housekeeping failed"),
        choresOf(services),
      )
    : undefined;
  const senders = config.deliveryWorkers;
  const deliverer =
    senders > 0
      ? new Deliverer(database, lanes, {
          restores: hooks.the("restoreGuard"),
          work: laneWork(services),
          senders,
          shares: senderShares(senders),
          onError: (err) => log.warn({ err }, "delivery failed"),
        })
      : undefined;
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
