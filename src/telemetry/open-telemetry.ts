import { setTimeout as sleep } from "node:timers/promises";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import type { Logger } from "pino";
import { logThrottle } from "../common/throttled-log";
import type { Config } from "../config";
import { version } from "../version";

/** Max time that shutdown waits for the collector to accept the last spans (ms). */
const CLOSE_TIMEOUT_MS = 1_500;

/** Log failed exports at most once per interval (ms), because every batch fails while the collector is down. */
const LOG_INTERVAL_MS = 60_000;

/** The running trace export of the process. */
export interface Tracing {
  /** Flushes the ended spans and stops; gives up after `CLOSE_TIMEOUT_MS`. */
  close(): Promise<void>;
}

/**
 * Registers OpenTelemetry for the process and exports spans by OTLP over HTTP. The SDK reads additional settings
 * (headers, batches, limits) from `OTEL_…` variables.
 */
export function startTracing(
  { url, serviceName, sampler }: NonNullable<Config["tracing"]>,
  log: Logger,
): Tracing {
  const provider = new BasicTracerProvider({
    sampler: createSampler(sampler),
    resource: detectResources({ detectors: [envDetector] }).merge(
      resourceFromAttributes({ "service.name": serviceName, "service.version": version }),
    ),
    spanProcessors: [new BatchSpanProcessor(withFailureLog(new OTLPTraceExporter({ url }), log))],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    close: async () => {
      const sent = provider.shutdown().then(
        () => true,
        () => true,
      );
      if (await Promise.race([sent, sleep(CLOSE_TIMEOUT_MS, false)])) return;
      log.warn("the collector did not accept the last traces in time; they are dropped");
    },
  };
}

const ids = new RandomIdGenerator();

/**
 * Creates the configured sampler. A client's `traceparent` cannot force tracing, because its sampled flag and trace ID
 * are ignored, but it can opt out.
 */
export function createSampler({ name, ratio }: NonNullable<Config["tracing"]>["sampler"]): Sampler {
  const kind = name.replace("parentbased_", "");
  const root: Sampler =
    kind === "always_off"
      ? new AlwaysOffSampler()
      : kind === "always_on"
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(ratio);
  const remoteSampler: Sampler = {
    shouldSample: (context, _traceId, ...rest) => root.shouldSample(context, ids.generateTraceId(), ...rest),
    toString: () => `own decision of ${root}`,
  };
  return new ParentBasedSampler({
    root,
    remoteParentSampled: remoteSampler,
    remoteParentNotSampled: name === kind ? remoteSampler : new AlwaysOffSampler(),
  });
}

/** Logs failed exports, because the SDK does not. */
function withFailureLog(exporter: SpanExporter, log: Logger): SpanExporter {
  const throttle = logThrottle(LOG_INTERVAL_MS);
  return {
    export: (batch, done) =>
      exporter.export(batch, (result) => {
        if (result.error !== undefined && throttle() !== undefined) {
          log.warn({ err: result.error }, "could not send traces");
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
