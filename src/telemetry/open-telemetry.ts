import { setTimeout as sleep } from "node:timers/promises";
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
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
import type { Config } from "../config";
import { version } from "../version";
import type { Tracing, Work } from "./trace";

/** How long a stop waits for a collector to take the last that was seen (ms). */
const FAREWELL_MS = 1_500;

/** At most one complaint in this time (ms): a collector that is away is away for every batch. */
const COMPLAINT_MS = 60_000;

/**
 * Follows requests with OpenTelemetry, and sends what it sees by OTLP over HTTP. Load this only where it is wanted: it
 * takes a tenth of a second. The library reads its further settings (headers, batches, limits) from `OTEL_…` itself.
 */
export function createTracing(
  { url, serviceName, sampler }: NonNullable<Config["tracing"]>,
  log: Logger,
): Tracing {
  const provider = new BasicTracerProvider({
    sampler: createSampler(sampler),
    resource: detectResources({ detectors: [envDetector] }).merge(
      resourceFromAttributes({ "service.name": serviceName, "service.version": version }),
    ),
    spanProcessors: [new BatchSpanProcessor(complaining(new OTLPTraceExporter({ url }), log))],
  });
  const tracer = provider.getTracer("gateway", version);
  const propagator = new W3CTraceContextPropagator();
  return {
    request: (name, { traceparent }) => {
      // Not tracestate, in which a client may put whatever it likes.
      const parent = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
      return workOf(tracer, tracer.startSpan(name, { kind: SpanKind.SERVER }, parent), parent);
    },
    close: async () => {
      const handedOver = provider.shutdown().then(
        () => true,
        () => true,
      );
      if (await Promise.race([handedOver, sleep(FAREWELL_MS, false)])) return;
      log.warn("the collector does not take the last traces: they are given up");
    },
  };
}

const ids = new RandomIdGenerator();

/**
 * The sampler of the settings, but that a client's `traceparent` cannot have a request traced: neither its flag nor its
 * trace id, which the client can choose to fit the ratio, decides. A client can ask not to be traced.
 */
function createSampler({ name, ratio }: NonNullable<Config["tracing"]>["sampler"]): Sampler {
  const kind = name.replace("parentbased_", "");
  const root: Sampler =
    kind === "always_off"
      ? new AlwaysOffSampler()
      : kind === "always_on"
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(ratio);
  const ofClients: Sampler = {
    shouldSample: (context, _traceId, ...rest) => root.shouldSample(context, ids.generateTraceId(), ...rest),
    toString: () => `own decision of ${root}`,
  };
  return new ParentBasedSampler({
    root,
    remoteParentSampled: ofClients,
    remoteParentNotSampled: name === kind ? ofClients : new AlwaysOffSampler(),
  });
}

const spans = new WeakMap<Work, Span>();

function workOf(tracer: Tracer, span: Span, context: Context): Work {
  const { traceId, spanId } = span.spanContext();
  const own = trace.setSpan(context, span);
  const work: Work = {
    ids: { trace_id: traceId, span_id: spanId },
    begin: (name, others = []) => {
      const links = others.flatMap((other) => {
        const linked = spans.get(other);
        return linked === undefined ? [] : [{ context: linked.spanContext() }];
      });
      return workOf(tracer, tracer.startSpan(name, { links }, own), own);
    },
    describe: (attributes) => void span.setAttributes(attributes),
    end: (failure) => {
      if (failure !== undefined) {
        span.setAttribute("error.type", failure).setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
  spans.set(work, span);
  return work;
}

/** Says in the log when what is seen cannot be handed over; the library would keep it to itself. */
function complaining(exporter: SpanExporter, log: Logger): SpanExporter {
  let complainedAt = -COMPLAINT_MS;
  return {
    export: (batch, done) =>
      exporter.export(batch, (result) => {
        if (result.error !== undefined && performance.now() - complainedAt >= COMPLAINT_MS) {
          complainedAt = performance.now();
          log.warn({ err: result.error }, "traces could not be sent");
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
