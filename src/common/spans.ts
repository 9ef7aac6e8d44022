import {
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

/** The service's own tracer: a no-op until a tracer provider is registered. */
export const tracer = trace.getTracer("gateway");

/** Runs work in a child span of the active span; outside a trace, just runs the work. */
export function withSpan<T>(name: string, run: () => Promise<T>, options: SpanOptions = {}): Promise<T> {
  if (trace.getActiveSpan() === undefined) return run();
  return tracer.startActiveSpan(name, options, (span) => endAfter(span, run));
}

/** Runs work with a caller's span as the active span, or with none, instead of the current one. */
export const withinSpan = <T>(caller: Span | undefined, run: () => T): T =>
  context.with(caller === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, caller), run);

/** Runs work that serves several callers in one span: a child of the first caller's span, linked to the others. */
export function withSharedSpan<T>(name: string, callers: readonly Span[], run: () => Promise<T>): Promise<T> {
  const [first, ...others] = new Set(callers);
  if (first === undefined) return run();
  const links = others.map((other) => ({ context: other.spanContext() }));
  const parent = trace.setSpan(context.active(), first);
  return tracer.startActiveSpan(name, { links }, parent, (span) => endAfter(span, run));
}

/** Marks a span as failed with a value from a closed list or the name of an error class, never a message. */
export const markFailed = (span: Span, errorType: string): Span =>
  span.setAttribute("error.type", errorType).setStatus({ code: SpanStatusCode.ERROR });

async function endAfter<T>(span: Span, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    markFailed(span, error instanceof Error ? error.name : "unknown");
    throw error;
  } finally {
    span.end();
  }
}
