// One schema, because some settings are checked against each other and others determine defaults, and no other file
// reads the environment.

import { z } from "zod";
import { StartupError } from "./errors";
import {
  ascii,
  databaseUrl,
  environment,
  environments,
  exporter,
  flag,
  groups,
  heloName,
  heloNameOf,
  hosts,
  instanceKey,
  integer,
  issuer,
  mailFrom,
  networks,
  origins,
  sampler,
  samplerRatio,
  sized,
  smtpUrl,
  text,
  trustProxy,
  url,
  workers,
} from "./setting-forms";

/** Returns 4 to 10 connections per worker: at most 40 for all workers, unless each would get fewer than 4. */
const defaultPoolSize = (workers: number): number => Math.max(4, Math.min(10, Math.floor(40 / workers)));

/** Reads the standard OpenTelemetry settings; undefined if nothing is exported. */
function telemetryOf(
  env: Partial<
    Record<`OTEL_EXPORTER_OTLP_${"" | "TRACES_" | "METRICS_" | "LOGS_"}ENDPOINT`, string | undefined>
  > &
    Record<`OTEL_${"TRACES" | "METRICS" | "LOGS"}_EXPORTER`, string> & {
      OTEL_SERVICE_NAME: string;
      OTEL_TRACES_SAMPLER: string;
      OTEL_TRACES_SAMPLER_ARG: number;
      OTEL_METRIC_EXPORT_INTERVAL: number;
      OTEL_SDK_DISABLED?: string | undefined;
    },
) {
  const urlOf = (signal: "traces" | "metrics" | "logs") => {
    const name = signal.toUpperCase() as Uppercase<typeof signal>;
    const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
    const url = env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`] ?? (base && `${base}/v1/${signal}`);
    return env[`OTEL_${name}_EXPORTER`] === "none" ? undefined : url;
  };
  const urls = { traces: urlOf("traces"), metrics: urlOf("metrics"), logs: urlOf("logs") };
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === "true";
  if (isOff || Object.values(urls).every((url) => url === undefined)) return undefined;
  return {
    urls,
    serviceName: env.OTEL_SERVICE_NAME,
    sampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
    metricIntervalMs: env.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

const settings = z
  .object({
    PORT: integer("PORT", 0, 65_535).default(4000),
    HOST: z.string().default("127.0.0.1"),
    OPERATIONS_PORT: integer("OPERATIONS_PORT", 1, 65_535).optional(),
    WORKERS: workers.default(1),
    DATABASE_URL: databaseUrl.default("sqlite:./data/gateway.sqlite"),
    DATABASE_POOL_SIZE: integer("DATABASE_POOL_SIZE", 1, 1000).optional(),
    INSTANCE_KEY: instanceKey.optional(),
    ENVIRONMENT: environment("ENVIRONMENT").default("development"),
    ACCEPT_KEY_ENVIRONMENTS: environments.default([]),
    GRAPHQL_INTROSPECTION: flag("GRAPHQL_INTROSPECTION").optional(),
    PUBLIC_URL: url("PUBLIC_URL").optional(),
    ALLOWED_HOSTS: hosts.default([]),
    PRODUCTION_URL: url("PRODUCTION_URL").optional(),
    STAGING_URL: url("STAGING_URL").optional(),
    TLS_CERT_FILE: z.string().optional(),
    TLS_KEY_FILE: z.string().optional(),
    TRUST_PROXY: trustProxy.default(false),
    LOG_LEVEL: z
      .enum(
        ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
        "LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent",
      )
      .default("info"),
    BODY_LIMIT_BYTES: integer("BODY_LIMIT_BYTES", 1024, 104_857_600).default(1_048_576),
    MAX_REQUESTS_IN_FLIGHT: integer("MAX_REQUESTS_IN_FLIGHT", 1, 1_000_000).default(1_000),
    REQUEST_TIMEOUT_SECONDS: integer("REQUEST_TIMEOUT_SECONDS", 1, 3600).default(60),
    MAX_CONNECTIONS: integer("MAX_CONNECTIONS", 1, 1_000_000).default(10_000),
    MAX_CONNECTIONS_PER_ADDRESS: integer("MAX_CONNECTIONS_PER_ADDRESS", 0, 1_000_000).optional(),
    MAX_STREAMS: integer("MAX_STREAMS", 0, 1_000_000).default(10_000),
    KEY_MAX_LIFETIME_DAYS: integer("KEY_MAX_LIFETIME_DAYS", 1, 36_500).optional(),
    RATE_LIMIT_PER_MINUTE: integer("RATE_LIMIT_PER_MINUTE", 0, 100_000_000).default(0),
    REFUSED_KEYS_PER_MINUTE: integer("REFUSED_KEYS_PER_MINUTE", 0, 100_000_000).default(1000),
    RESTORED: z.literal("1", "RESTORED must be 1 or unset").optional(),
    DELIVERY_WORKERS: integer("DELIVERY_WORKERS", 0, 1000).default(8),
    ALLOW_PRIVATE_TARGETS: networks("ALLOW_PRIVATE_TARGETS").default([]),
    MODEL_URL: url("MODEL_URL").optional(),
    MODEL_NAME: ascii("MODEL_NAME", 1, 200).optional(),
    MODEL_API_KEY: ascii("MODEL_API_KEY", 1, 1000).optional(),
    MODEL_CONCURRENCY: integer("MODEL_CONCURRENCY", 1, 999).optional(),
    GITHUB_SECRET_SCANNING_KEYS_URL: url("GITHUB_SECRET_SCANNING_KEYS_URL").default(
      "https://api.github.com/meta/public_keys/secret_scanning",
    ),
    OIDC_ISSUER: issuer.optional(),
    OIDC_CLIENT_ID: text("OIDC_CLIENT_ID", 500).optional(),
    OIDC_CLIENT_SECRET: text("OIDC_CLIENT_SECRET", 1000).optional(),
    OIDC_NAME: text("OIDC_NAME", 50).default("single sign-on"),
    OIDC_ONLY: flag("OIDC_ONLY").default("false"),
    OIDC_PERMISSIONS_CLAIM: text("OIDC_PERMISSIONS_CLAIM", 200).optional(),
    OIDC_PERMISSIONS: groups.optional(),
    OAUTH: flag("OAUTH").default("false"),
    OAUTH_DYNAMIC_REGISTRATION: flag("OAUTH_DYNAMIC_REGISTRATION").default("false"),
    SMTP_URL: smtpUrl.optional(),
    SMTP_HELO: heloName.optional(),
    MAIL_FROM: mailFrom.optional(),
    CORS_ORIGINS: origins.default([]),
    DRAIN_SECONDS: integer("DRAIN_SECONDS", 0, 300).optional(),
    METRICS_TOKEN: ascii("METRICS_TOKEN", 16, 200).optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: url("OTEL_EXPORTER_OTLP_ENDPOINT").optional(),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").optional(),
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT").optional(),
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT").optional(),
    OTEL_TRACES_EXPORTER: exporter("OTEL_TRACES_EXPORTER").default("otlp"),
    OTEL_METRICS_EXPORTER: exporter("OTEL_METRICS_EXPORTER").default("otlp"),
    OTEL_LOGS_EXPORTER: exporter("OTEL_LOGS_EXPORTER").default("otlp"),
    OTEL_METRIC_EXPORT_INTERVAL: integer("OTEL_METRIC_EXPORT_INTERVAL", 1_000, 86_400_000).default(60_000),
    OTEL_SERVICE_NAME: z.string().default("gateway"),
    OTEL_TRACES_SAMPLER: sampler.default("parentbased_always_on"),
    OTEL_TRACES_SAMPLER_ARG: samplerRatio.default(1),
    OTEL_SDK_DISABLED: z.string().optional(),
    BOOTSTRAP_OWNER_EMAIL: z
      .email("BOOTSTRAP_OWNER_EMAIL must be an e-mail address")
      .default("owner@example.com"),
    BOOTSTRAP_OWNER_PASSWORD: sized(z.string(), "BOOTSTRAP_OWNER_PASSWORD", 12, 200).optional(),
    BOOTSTRAP_API_KEY_NAME: sized(z.string().trim(), "BOOTSTRAP_API_KEY_NAME", 1, 100).default("First key"),
  })
  .refine((env) => (env.TLS_CERT_FILE === undefined) === (env.TLS_KEY_FILE === undefined), {
    error: "TLS_CERT_FILE and TLS_KEY_FILE must be set together",
  })
  .refine((env) => (env.MODEL_URL === undefined) === (env.MODEL_NAME === undefined), {
    error: "MODEL_URL and MODEL_NAME must be set together",
  })
  .refine((env) => new Set([!env.OIDC_ISSUER, !env.OIDC_CLIENT_ID, !env.OIDC_CLIENT_SECRET]).size === 1, {
    error: "OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together",
  })
  .refine((env) => env.OIDC_ONLY === "false" || env.OIDC_ISSUER !== undefined, {
    error: "OIDC_ONLY requires OIDC_ISSUER",
  })
  .refine((env) => (env.OIDC_PERMISSIONS_CLAIM === undefined) === (env.OIDC_PERMISSIONS === undefined), {
    error: "OIDC_PERMISSIONS_CLAIM and OIDC_PERMISSIONS must be set together",
  })
  .refine((env) => !env.OIDC_ISSUER?.startsWith("http:") || env.ENVIRONMENT === "development", {
    error: "OIDC_ISSUER must be an https URL unless ENVIRONMENT is development",
  })
  .refine((env) => !env.OIDC_ISSUER || env.PUBLIC_URL !== undefined || env.ENVIRONMENT === "development", {
    error: "OIDC_ISSUER requires PUBLIC_URL, because the issuer redirects people back to that URL",
  })
  .refine((env) => env.OAUTH === "false" || env.PUBLIC_URL !== undefined, {
    error: "OAUTH requires PUBLIC_URL, because access tokens are issued for that URL",
  })
  .refine((env) => env.OAUTH === "false" || !env.PUBLIC_URL || new URL(env.PUBLIC_URL).pathname === "/", {
    error: "OAUTH requires a PUBLIC_URL without a path",
  })
  .refine(
    (env) =>
      env.OAUTH === "false" || env.ENVIRONMENT === "development" || env.PUBLIC_URL?.startsWith("https:"),
    { error: "OAUTH requires an https PUBLIC_URL unless ENVIRONMENT is development" },
  )
  .refine((env) => env.OAUTH_DYNAMIC_REGISTRATION === "false" || env.OAUTH === "true", {
    error: "OAUTH_DYNAMIC_REGISTRATION requires OAUTH",
  })
  .refine(({ MODEL_CONCURRENCY: max = 0, DELIVERY_WORKERS: all }) => all === 0 || max < all, {
    error: "MODEL_CONCURRENCY must be less than DELIVERY_WORKERS",
  })
  .refine((env) => (env.SMTP_URL === undefined) === (env.MAIL_FROM === undefined), {
    error: "SMTP_URL and MAIL_FROM must be set together",
  })
  .refine((env) => !env.SMTP_URL || env.PUBLIC_URL !== undefined || env.ENVIRONMENT === "development", {
    error: "SMTP_URL requires PUBLIC_URL for the links in e-mails",
  })
  .transform((env) => ({
    port: env.PORT,
    host: env.HOST,
    operationsPort: env.OPERATIONS_PORT,
    workers: env.WORKERS,
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE ?? defaultPoolSize(env.WORKERS),
    instanceKey: env.INSTANCE_KEY,
    environment: env.ENVIRONMENT,
    keyEnvironments: [...new Set([env.ENVIRONMENT, ...env.ACCEPT_KEY_ENVIRONMENTS])],
    introspection: (env.GRAPHQL_INTROSPECTION ?? String(env.ENVIRONMENT === "development")) === "true",
    publicUrl: env.PUBLIC_URL,
    allowedHosts: env.ALLOWED_HOSTS,
    productionUrl: env.PRODUCTION_URL,
    stagingUrl: env.STAGING_URL,
    tls:
      env.TLS_CERT_FILE && env.TLS_KEY_FILE
        ? { certFile: env.TLS_CERT_FILE, keyFile: env.TLS_KEY_FILE }
        : undefined,
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL,
    bodyLimitBytes: env.BODY_LIMIT_BYTES,
    maxRequestsInFlight: env.MAX_REQUESTS_IN_FLIGHT,
    requestTimeoutMs: env.REQUEST_TIMEOUT_SECONDS * 1000,
    maxConnections: env.MAX_CONNECTIONS,
    // Behind a proxy, all connections come from the proxy's address.
    maxConnectionsPerAddress: env.MAX_CONNECTIONS_PER_ADDRESS ?? (env.TRUST_PROXY === false ? 1_000 : 0),
    maxStreams: env.MAX_STREAMS,
    keyMaxLifetimeDays: env.KEY_MAX_LIFETIME_DAYS,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    rejectedKeysPerMinute: env.REFUSED_KEYS_PER_MINUTE,
    isRestored: env.RESTORED !== undefined,
    deliveryWorkers: env.DELIVERY_WORKERS,
    allowPrivateTargets: env.ALLOW_PRIVATE_TARGETS,
    model:
      env.MODEL_URL && env.MODEL_NAME
        ? {
            url: env.MODEL_URL,
            name: env.MODEL_NAME,
            apiKey: env.MODEL_API_KEY,
            concurrency: env.MODEL_CONCURRENCY,
          }
        : undefined,
    oidc:
      env.OIDC_ISSUER && env.OIDC_CLIENT_ID && env.OIDC_CLIENT_SECRET
        ? {
            issuer: env.OIDC_ISSUER,
            clientId: env.OIDC_CLIENT_ID,
            clientSecret: env.OIDC_CLIENT_SECRET,
            name: env.OIDC_NAME,
            isOnly: env.OIDC_ONLY === "true",
            permissionsClaim: env.OIDC_PERMISSIONS_CLAIM,
            permissions: env.OIDC_PERMISSIONS ?? [],
          }
        : undefined,
    oauth:
      env.OAUTH === "true" ? { allowsRegistration: env.OAUTH_DYNAMIC_REGISTRATION === "true" } : undefined,
    mail: env.SMTP_URL && env.MAIL_FROM ? { ...env.SMTP_URL, from: env.MAIL_FROM } : undefined,
    heloName: env.SMTP_HELO ?? heloNameOf(env.PUBLIC_URL),
    gitHubKeysUrl: env.GITHUB_SECRET_SCANNING_KEYS_URL,
    corsOrigins: env.CORS_ORIGINS,
    drainMs: (env.DRAIN_SECONDS ?? (env.ENVIRONMENT === "development" ? 0 : 2)) * 1000,
    metricsToken: env.METRICS_TOKEN,
    telemetry: telemetryOf(env),
    bootstrap: {
      ownerEmail: env.BOOTSTRAP_OWNER_EMAIL,
      ownerPassword: env.BOOTSTRAP_OWNER_PASSWORD,
      apiKeyName: env.BOOTSTRAP_API_KEY_NAME,
    },
  }));

/** The names of the retention settings (days; 0 keeps everything). Features declare them and their defaults. */
const RETENTION = /^(RETENTION_[A-Z_]+|[A-Z_]+_RETENTION)_DAYS$/;

/** The configured retention settings, by name. */
export type Retention = Readonly<Record<string, number>>;

/** The validated settings of the service, with defaults. */
export type Config = z.output<typeof settings> & { retention: Retention };

/**
 * Loads the settings from environment variables, which no other code reads. Empty variables are treated as unset.
 * @throws StartupError with one line that names the first invalid setting but never its value
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const retention = Object.keys(given)
    .filter((name) => RETENTION.test(name))
    .map((name) => [name, validated(integer(name, 0, 36_500), given[name])]);
  return { ...validated(settings, given), retention: Object.fromEntries(retention) };
}

function validated<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given);
  if (!result.success) throw new StartupError(result.error.issues[0]?.message ?? "invalid settings");
  return result.data;
}
