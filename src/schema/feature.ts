import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { EntityTarget, ObjectLiteral } from "typeorm";
import type { Scope } from "../auth/permissions";
import { DAY_MS, timestamp } from "../common/time";
import type { Config, Retention } from "../config";
import type { Database } from "../database/database";
import type { Tx } from "../database/unit-of-work";
import type { LaneWork } from "../delivery/lane-work";
import type { Lanes } from "../delivery/lanes";
import type { SendMail } from "../delivery/mailer";
import type { WorkObserver } from "../delivery/observer";
import type { Share } from "../delivery/senders";
import type { Targets } from "../delivery/targets";
import type { InstanceKeyService } from "../instance-key/instance-key.service";
import type { RejectedTokens } from "../rate-limits/rejected-tokens";
import type { FeatureMetric } from "../telemetry/feature-metrics";
import type { Deprecation } from "./deprecation";
import type { DeclaredEventType } from "./event-type";
import type { HookImplementations, HookRegistry } from "./hooks";
import type { HttpOperations } from "./http-operation";
import type { RouteGroup } from "./rest-route";

/** Dependencies of every feature's services. */
export interface Core {
  database: Database;
  config: Config;
  log: Logger;
  lanes: Lanes;
  /** The targets that the gateway may connect to on behalf of its users. */
  targets: Targets;
  /** Sends the gateway's own e-mails; undefined if there is no mail server. */
  sendMail: SendMail | undefined;
  /** The key for signing secrets and sealed credentials. */
  instanceKey: InstanceKeyService;
  hooks: HookRegistry;
  /** Receives the measurements of the features. */
  observer: WorkObserver;
  /** Counts rejected API keys and session tokens together, by client address. */
  rejectedTokens: RejectedTokens;
}

/** Periodic work done by one process of a service; it must stop soon after the signal is aborted. */
export type Chore = (signal: AbortSignal) => Promise<void>;

/** The expired rows of a table: rows whose value in `column` sorts before `before`. */
export interface ExpiredRows {
  entity: EntityTarget<ObjectLiteral>;
  column: string;
  before: string;
  /** Saves data that must outlive the rows, before they are deleted; changes at most `limit` rows, and counts them. */
  keep?(tx: Tx, limit: number): Promise<number>;
}

/** Selects rows whose `column` is older than a number of days; none if the number is missing or 0. */
export const olderThan = (
  days: number | undefined,
  entity: EntityTarget<ObjectLiteral>,
  column: string,
): ExpiredRows[] => (days ? [{ entity, column, before: timestamp(-days * DAY_MS) }] : []);

/**
 * A vertical slice of the domain. The data source, the schema, REST, its documentation, the metrics and housekeeping
 * all read the list of features, so a new feature is added in one place.
 */
export interface Feature<Own extends object, Needs extends object> {
  entities: readonly (new () => object)[];
  /** Creates the services under the names used by other features, the command line and the tests. */
  services(core: Core & Needs): Own;
  /** Creates the resolvers; their constructors may only store the services. */
  resolvers(services: Own & Needs): object[];
  /** Hooks called by other features. */
  hooks?(services: Core & Own & Needs): HookImplementations;
  routes?: RouteGroup;
  /** Adds routes that need no API key to an encapsulated scope of the server. */
  http?(app: FastifyInstance, services: Core & Own & Needs): void;
  /** The documentation of the routes that need no API key. */
  operations?: HttpOperations;
  /**
   * The agent-key scopes that the feature's resolvers require, with descriptions; they must be in `Scopes`, and in a
   * file `*.scopes.ts`, where the dashboard and the command line find them.
   */
  scopes?: Readonly<Partial<Record<Scope, string>>>;
  /** The event types that the feature records; they must also be in `EventTypes`. */
  eventTypes?: Readonly<Record<string, DeclaredEventType>>;
  /** The deprecated parts of the feature's GraphQL types, by coordinate; routes declare their own. */
  deprecations?: Readonly<Record<string, Deprecation>>;
  /** Max size of a member's request to `/graphql` (bytes), for documents that members upload. */
  memberRequestBytes?: number;
  /** Returns the metrics that the feature counts or reads from its services. */
  metrics?(services: Core & Own & Needs): readonly FeatureMetric[];
  /** Returns the work for the feature's lanes, by kind of lane. */
  lanes?(services: Core & Own & Needs): Readonly<Record<string, LaneWork>>;
  /** Returns the sender shares for the feature's lanes, by name. */
  shares?(senders: number, config: Config): Readonly<Record<string, Share>>;
  /** The feature's retention settings (days) with their defaults; 0 keeps everything. */
  retention?: Retention;
  /** Returns the rows that housekeeping deletes; if a retention setting is missing or 0, its rows are kept forever. */
  expired?(retention: Retention): ExpiredRows[];
  /** Returns additional housekeeping, such as finishing interrupted erasures. */
  chores?(services: Core & Own & Needs): Chore[];
  /** Starts the background work of a delivering process, and returns a function that stops it. */
  start?(services: Core & Own & Needs): () => Promise<void>;
  /** Stops background work while requests are still finishing. */
  stop?(services: Core & Own & Needs): Promise<void>;
  /** Stores the remaining data and releases resources after the last request has ended. */
  close?(services: Core & Own & Needs): Promise<void>;
}

/** Declares a feature; `Needs` are services of features that are earlier in the list. */
export const feature = <Own extends object, Needs extends object = object>(
  declared: Feature<Own, Needs>,
): Feature<Own, Needs> => declared;

/**
 * Adds the services of features, in order.
 * @throws Error if a feature reads a service of itself or of a later feature
 */
export function addServices(
  services: object,
  features: readonly { services(existing: never): object }[],
): void {
  const existing = new Proxy(services, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      throw new Error(`A feature needs the service "${String(name)}", which no earlier feature has.`);
    },
  });
  for (const feature of features) Object.assign(services, feature.services(existing as never));
}
