import type { Logger } from "pino";
import type { EntityTarget, ObjectLiteral } from "typeorm";
import type { Config } from "../config";
import type { Database } from "../database/database";
import type { RefusedTokens } from "../rate-limits/refused-tokens";
import type { RouteGroup } from "./rest-route";

/** What the services of every feature are made from. */
export interface Core {
  database: Database;
  config: Config;
  log: Logger;
  /** Addresses that try out tokens; keys and sessions count together. */
  refusedTokens: RefusedTokens;
}

/** Rows of a table that have outlived their time: those whose text in a column sorts before another. */
export interface ExpiredRows {
  entity: EntityTarget<ObjectLiteral>;
  column: string;
  before: string;
}

/** How long the settings keep what is purged. */
export type Retention = Pick<Config, "auditRetentionDays">;

/**
 * Everything that a part of the domain adds to the service. The data source, the schema, REST, its documentation, the
 * metrics and housekeeping read the list of features, so that a new one is added in one place.
 */
export interface Feature<Own extends object, Needs extends object> {
  entities: readonly (new () => object)[];
  /** Makes the services, by the names under which other features, the command line and the tests find them. */
  services(core: Core & Needs): Own;
  /** Makes the resolvers, which keep the services and do nothing else when they are made. */
  resolvers(services: Own & Needs): object[];
  routes?: RouteGroup;
  /** What the feature's batched lookups are called in the metrics. */
  batches?: readonly string[];
  /** What housekeeping deletes. */
  expired?(retention: Retention): ExpiredRows[];
}

/**
 * Declares a feature.
 * @typeParam Needs services of features that stand before it in the list
 */
export const feature = <Own extends object, Needs extends object = object>(
  declared: Feature<Own, Needs>,
): Feature<Own, Needs> => declared;
