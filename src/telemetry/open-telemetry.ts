import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { context, propagation, trace } from "@opentelemetry/api";
import { logs } from "@opentelemetry/api-logs";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { type ExportResult, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPExporterBase } from "@opentelemetry/otlp-exporter-base";
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from "@opentelemetry/otlp-exporter-base/node-http";
import {
  type IExporterMetricsHelper,
  type ISerializer,
  LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import type { Logger } from "pino";
import { logThrottle } from "../common/throttled-log";
import type { Config } from "../config";
import { version } from "../version";
import type { MetricValues } from "./aggregate";
import { PrometheusProducer } from "./metric-export";

/** Max time that shutdown waits for the collector to accept the last telemetry (ms). */
const CLOSE_TIMEOUT_MS = 1_500;

/** Log failed exports at most once per interval (ms), because every batch fails while the collector is down. */
const LOG_INTERVAL_MS = 60_000;

/** The running exports of the process. */
export interface Telemetry {
  /** Exports metrics periodically, if they are exported at all. */
  exportMetrics(read: () => Promise<MetricValues>): void;
  /** Sends everything recorded and stops; gives up after `CLOSE_TIMEOUT_MS`. */
  close(): Promise<void>;
}

/**
 * Registers OpenTelemetry for the process, and exports the configured signals by OTLP over HTTP. The SDK reads
 * additional settings (headers, batches, limits) from `OTEL_…` variables.
 */
export function startTelemetry(
  { urls, serviceName, sampler, metricIntervalMs }: NonNullable<Config["telemetry"]>,
  log: Logger,
): Telemetry {
  const defaults = resourceFromAttributes({
    "service.name": serviceName,
    "service.version": version,
    "service.instance.id": randomUUID(),
  });
  const resource = defaults.merge(detectResources({ detectors: [envDetector] }));
  const providers: { shutdown(): Promise<void> }[] = [];
  if (urls.traces !== undefined) {
    const exporter = exporterOf(
      "traces",
      urls.traces,
      ProtobufTraceSerializer,
      TraceExporterMetricsHelper,
      log,
    );
    const provider = new BasicTracerProvider({
      sampler: createSampler(sampler),
      resource,
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(provider);
    providers.push(provider);
  }
  if (urls.logs !== undefined) {
    const exporter = exporterOf("logs", urls.logs, ProtobufLogsSerializer, LogsExporterMetricsHelper, log);
    const provider = new LoggerProvider({
      resource,
      processors: [new BatchLogRecordProcessor({ exporter })],
    });
    logs.setGlobalLoggerProvider(provider);
    providers.push(provider);
  }
  return {
    exportMetrics: (read) => {
      if (urls.metrics === undefined) return;
      const exporter = exporterOf(
        "metrics",
        urls.metrics,
        ProtobufMetricsSerializer,
        MetricsExporterMetricsHelper,
        log,
      );
      const reader = new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: metricIntervalMs,
        metricProducers: [new PrometheusProducer(read)],
      });
      providers.push(new MeterProvider({ resource, readers: [reader] }));
    },
    close: async () => {
      const sent = Promise.allSettled(providers.map((provider) => provider.shutdown())).then(() => true);
      if (await Promise.race([sent, sleep(CLOSE_TIMEOUT_MS, false)])) return;
      log.warn("the collector did not accept the last telemetry in time, so it was dropped");
    },
  };
}

const ids = new RandomIdGenerator();

/**
 * Creates the configured sampler. A client's `traceparent` cannot force tracing, because its sampled flag and trace ID
 * are ignored, but with a `parentbased_…` sampler, it can opt out.
 */
export function createSampler({ name, ratio }: NonNullable<Config["telemetry"]>["sampler"]): Sampler {
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

/** Creates an exporter that logs failed exports, because the SDK does not. */
function exporterOf<T>(
  signal: "traces" | "metrics" | "logs",
  url: string,
  serializer: ISerializer<T, unknown>,
  helper: IExporterMetricsHelper<T>,
  log: Logger,
): OTLPExporterBase<T> {
  const type = { "Content-Type": "application/x-protobuf" };
  const options = convertLegacyHttpOptions({ url }, signal.toUpperCase(), `v1/${signal}`, type);
  const throttle = logThrottle(LOG_INTERVAL_MS);
  return new (class extends OTLPExporterBase<T> {
    override export(batch: T, done: (result: ExportResult) => void): void {
      super.export(batch, (result) => {
        if (result.error !== undefined && throttle() !== undefined)
          log.warn({ err: result.error }, `could not send ${signal}`);
        done(result);
      });
    }
  })(createOtlpHttpExportDelegate(options, serializer, `otlp_http_${signal}_exporter`, helper, undefined));
}
