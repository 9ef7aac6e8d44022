import type { FastifyInstance } from "fastify";
import type { ClassType } from "type-graphql";
import type { DataSource } from "typeorm";
import { createContextFactory } from "./auth/context";
import { declareScopes } from "./auth/permissions";
import type { Config, Retention } from "./config";
import { createDataSource as createDataSourceOf } from "./database/data-source";
import { Lane } from "./delivery/lane.entity";
import type { LaneWork } from "./delivery/lane-work";
import { Lanes } from "./delivery/lanes";
import { createMailer } from "./delivery/mailer";
import { NO_WORK_OBSERVER, type WorkObserver } from "./delivery/observer";
import type { Share } from "./delivery/senders";
import { Targets } from "./delivery/targets";
import { activity } from "./features/activity/activity.feature";
import { agents } from "./features/agents/agents.feature";
import { apiKeys } from "./features/api-keys/api-keys.feature";
import { attention } from "./features/attention/attention.feature";
import { audit } from "./features/audit/audit.feature";
import { configuration } from "./features/configuration/configuration.feature";
import { contacts } from "./features/contacts/contacts.feature";
import { conversations } from "./features/conversations/conversations.feature";
import { decisions } from "./features/decisions/decisions.feature";
import { declareEventTypes } from "./features/events/event-types";
import { events } from "./features/events/events.feature";
import { find } from "./features/find/find.feature";
import { handoffNotices } from "./features/handoff-notices/handoff-notices.feature";
import { inbound } from "./features/inbound/inbound.feature";
import { keyUsage } from "./features/key-usage/key-usage.feature";
import { leakedKeys } from "./features/leaked-keys/leaked-keys.feature";
import { lines } from "./features/lines/lines.feature";
import { mcp } from "./features/mcp/mcp.feature";
import { members } from "./features/members/members.feature";
import { messages } from "./features/messages/messages.feature";
import { oauth } from "./features/oauth/oauth.feature";
import { oidc } from "./features/oidc/oidc.feature";
import { onboarding } from "./features/onboarding/onboarding.feature";
import { organizations } from "./features/organizations/organizations.feature";
import { pets } from "./features/pets/pets.feature";
import { restores } from "./features/restores/restores.feature";
import { timers } from "./features/timers/timers.feature";
import { unsubscribe } from "./features/unsubscribe/unsubscribe.feature";
import { webhooks } from "./features/webhooks/webhooks.feature";
import { IdempotencyRecord } from "./idempotency/idempotency-record.entity";
import { Lease } from "./idempotency/lease.entity";
import { InstanceKeyService } from "./instance-key/instance-key.service";
import { InstanceKeyCheck } from "./instance-key/instance-key-check.entity";
import { RejectedTokens } from "./rate-limits/rejected-tokens";
import { declareDeprecations } from "./schema/deprecation";
import { addServices, type Chore, type Core, type ExpiredRows, type Feature } from "./schema/feature";
import { HookRegistry } from "./schema/hooks";
import type { HttpOperations } from "./schema/http-operation";
import { nameOfRoute, type RestRoute, type RouteGroup } from "./schema/rest-route";
import type { FeatureMetric } from "./telemetry/feature-metrics";

/** All features, each after the features that it depends on; the REST documentation lists them in this order. */
export const FEATURES = [
  pets,
  organizations,
  agents,
  lines,
  configuration,
  members,
  oidc,
  keyUsage,
  apiKeys,
  leakedKeys,
  oauth,
  contacts,
  messages,
  timers,
  conversations,
  handoffNotices,
  decisions,
  inbound,
  unsubscribe,
  events,
  webhooks,
  audit,
  restores,
  activity,
  attention,
  onboarding,
  find,
  mcp,
] as const;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The services used by the server, the command line and the setup at the first start. */
export type Services = Core & Intersection<ReturnType<(typeof FEATURES)[number]["services"]>>;

/** The services that features need from each other; `Services` must provide them all. */
type Needs = Intersection<
  (typeof FEATURES)[number] extends infer Each
    ? Each extends Feature<object, infer Needed>
      ? Needed
      : never
    : never
>;

/** The features, as seen by code that treats all features the same way. */
const ALL = FEATURES as readonly unknown[] as readonly Feature<object, Services>[];

for (const { scopes, eventTypes, deprecations } of ALL) {
  declareScopes(scopes ?? {});
  declareEventTypes(eventTypes ?? {});
  declareDeprecations(deprecations ?? {});
}

/** The REST routes, grouped as in the REST documentation. */
export const ROUTE_GROUPS: readonly RouteGroup[] = ALL.flatMap(({ routes }) => routes ?? []);

/** The whole REST API. */
export const ROUTES: readonly RestRoute[] = ROUTE_GROUPS.flatMap(({ routes }) => routes);

for (const route of ROUTES)
  if (route.deprecation) declareDeprecations({ [nameOfRoute(route)]: route.deprecation });

/** Returns functions that add the routes that need no API key, to an encapsulated Fastify scope per feature. */
export const httpOf = (services: Services): ((app: FastifyInstance) => void)[] =>
  ALL.flatMap(({ http }) => (http === undefined ? [] : (app) => http(app, services)));

/** The routes that need no API key, grouped as in the REST documentation. */
export const OPERATIONS: readonly HttpOperations[] = ALL.flatMap(({ operations }) => operations ?? []);

/** Max size of a member's request to `/graphql` (bytes). */
export const MEMBER_REQUEST_BYTES = Math.max(
  0,
  ...ALL.map(({ memberRequestBytes }) => memberRequestBytes ?? 0),
);

export const metricsOf = (services: Services): FeatureMetric[] =>
  ALL.flatMap(({ metrics }) => metrics?.(services) ?? []);

/** Returns the retention settings (days). */
export const retentionOf = ({ retention }: Pick<Config, "retention">): Retention =>
  Object.assign({}, ...ALL.map((each) => each.retention), retention);

/** Returns the rows that housekeeping deletes. */
export const expiredRows = (retention: Retention): ExpiredRows[] =>
  ALL.flatMap(({ expired }) => expired?.(retention) ?? []);

/** Returns the shares of the process's senders, by the kind of lane or the channel that each share limits. */
export const senderShares = (config: Config): ReadonlyMap<string, Share> =>
  new Map(ALL.flatMap(({ shares }) => Object.entries(shares?.(config.deliveryWorkers, config) ?? {})));

/** @returns a function that returns the handler for a kind of lane; it throws an Error for an unknown kind */
export function laneWork(services: Services): (kind: string) => LaneWork {
  const all = new Map(ALL.flatMap(({ lanes }) => Object.entries(lanes?.(services) ?? {})));
  return (kind) => {
    const work = all.get(kind);
    if (work === undefined) throw new Error(`No feature provides work for lanes of kind "${kind}".`);
    return work;
  };
}

/** Returns the housekeeping work other than deleting expired rows. */
export const choresOf = (services: Services): Chore[] =>
  ALL.flatMap(({ chores }) => chores?.(services) ?? []);

/** Starts the background work of a delivering process, and returns a function that stops it. */
export function startFeatures(services: Services): () => Promise<unknown> {
  const started = ALL.map(({ start }) => start?.(services));
  return () => Promise.all(started.map((stop) => stop?.()));
}

/** Stops the background work of all features while requests are still finishing. */
export const stopFeatures = (services: Services): Promise<unknown> =>
  Promise.all(ALL.map(({ stop }) => stop?.(services)));

/** Stores data that is still in memory, and releases resources. Called after the last request has ended. */
export const closeFeatures = (services: Services): Promise<unknown> =>
  Promise.all(ALL.map(({ close }) => close?.(services)));

/** Creates a data source, like `createDataSource` in `database/`, with the tables of all features. */
export const createDataSource = (url: string, poolSize?: number): DataSource =>
  createDataSourceOf(
    url,
    [...ALL.flatMap(({ entities }) => entities), IdempotencyRecord, InstanceKeyCheck, Lane, Lease],
    poolSize,
  );

/** Creates the services of all features; `observer` receives their measurements. */
export function createServices(
  core: Pick<Core, "database" | "config" | "log">,
  observer: WorkObserver = NO_WORK_OBSERVER,
): Services {
  const hooks = new HookRegistry();
  const services: Core = {
    ...core,
    hooks,
    observer,
    lanes: new Lanes(core.database, observer),
    targets: new Targets(core.config),
    sendMail: createMailer(core.config),
    instanceKey: new InstanceKeyService(core.database, core.config, () => hooks.of("instanceKeyReplaced")),
    rejectedTokens: new RejectedTokens(core.config.rejectedKeysPerMinute),
  };
  addServices(services, ALL);
  for (const each of ALL) hooks.add(each.hooks?.(services as Services) ?? {});
  return services as Services;
}

/** Calls `createContextFactory` with the features' resolvers; `keys` may also accept OAuth access tokens. */
export const contextFactoryOf = (
  services: Services,
  countKeyCheck: Parameters<typeof createContextFactory>[3],
  keys = services.hooks.the("apiKeys"),
): ReturnType<typeof createContextFactory> => {
  const { hooks } = services;
  return createContextFactory(keys, hooks.the("sessions"), resolversOf(services), countKeyCheck);
};

/** Creates the resolvers of all features, by class. */
export const resolversOf = (services: Services & Needs): ReadonlyMap<ClassType, object> =>
  new Map(
    ALL.flatMap(({ resolvers }) => resolvers(services)).map((each) => [each.constructor as ClassType, each]),
  );

export const resolverClasses = (): ClassType[] => [...resolversOf({} as Services).keys()];
