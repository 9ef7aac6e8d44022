import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from "@opentelemetry/api";
import { SamplingDecision } from "@opentelemetry/sdk-trace-base";
import { loadConfig } from "../../src/config";
import { createSampler } from "../../src/telemetry/open-telemetry";

/** The lowest trace ID, which OpenTelemetry's ratio sampler samples at any ratio above 0. */
const LOWEST = "00000000000000000000000000000001";

/** Returns true if a request with a `traceparent` is traced. */
function isSampled(env: Record<string, string>, traceFlags: TraceFlags): boolean {
  const { telemetry } = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", ...env });
  if (telemetry === undefined) throw new Error("Telemetry is off.");
  const parent = { traceId: LOWEST, spanId: "b7ad6b7169203331", traceFlags, isRemote: true };
  const context = trace.setSpanContext(ROOT_CONTEXT, parent);
  const { decision } = createSampler(telemetry.sampler).shouldSample(
    context,
    LOWEST,
    "GET /v1/pets",
    SpanKind.SERVER,
    {},
    [],
  );
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

const ALMOST_NEVER = { OTEL_TRACES_SAMPLER_ARG: "0.000000001" };

test.each([
  [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, false, false],
  [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", ...ALMOST_NEVER }, false, false],
  [{ OTEL_TRACES_SAMPLER: "traceidratio", ...ALMOST_NEVER }, false, false],
  [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, false, false],
  [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "1" }, true, false],
  [{ OTEL_TRACES_SAMPLER: "always_on" }, true, true],
])(
  "with %j, requests are traced if their callers trace them: %s, and if not: %s",
  (env, traced, untraced) => {
    expect(isSampled(env, TraceFlags.SAMPLED)).toBe(traced);
    expect(isSampled(env, TraceFlags.NONE)).toBe(untraced);
  },
);
