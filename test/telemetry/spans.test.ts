import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { coalesce } from "../../src/common/coalesce";
import { tracer, withSharedSpan, withSpan } from "../../src/common/spans";
import { FairBatches } from "../../src/database/fair-batches";
import { withResolver } from "../support/wait-until";

const exporter = new InMemorySpanExporter();
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
});
afterAll(() => {
  trace.disable();
  context.disable();
});
beforeEach(() => exporter.reset());

/**
 * Runs work in the span of a request.
 * @returns the ID of the span
 */
const request = <T>(work: () => Promise<T>): Promise<string> =>
  tracer.startActiveSpan("request", async (span) => {
    await work().catch(() => undefined);
    span.end();
    return span.spanContext().spanId;
  });

const finished = () =>
  exporter.getFinishedSpans().map(({ name, parentSpanContext, links, attributes, status }) => ({
    name,
    parent: parentSpanContext?.spanId,
    links: links.map((link) => link.context.spanId),
    attributes,
    status,
  }));

test("work outside a trace creates no span, alone or shared", async () => {
  expect(await withSpan("work", async () => trace.getActiveSpan())).toBeUndefined();
  expect(await withSharedSpan("work", [], async () => trace.getActiveSpan())).toBeUndefined();
  expect(finished()).toEqual([]);
});

test("failing work marks its span with the error's class but never its message", async () => {
  const id = await request(() =>
    withSpan("work", async () => {
      throw new TypeError("a secret");
    }),
  );
  expect(finished()[0]).toEqual({
    name: "work",
    parent: id,
    links: [],
    attributes: { "error.type": "TypeError" },
    status: { code: 2 },
  });
  expect(JSON.stringify(finished())).not.toContain("a secret");
});

test("coalesced calls have one span below the first request, linked to each of the others once", async () => {
  const load = coalesce(async (items: readonly number[]) => items.map((item) => item * 2), { name: "batch" });
  const [first, ...others] = await Promise.all([
    request(() => Promise.all([load(1), load(2)])),
    request(() => load(3)),
    request(() => load(4)),
  ]);
  expect(finished().filter(({ name }) => name === "batch")).toMatchObject([{ parent: first, links: others }]);
});

test("the work of a coalesced call belongs to that call's span", async () => {
  const load = coalesce((items: readonly number[]) => withSpan("statement", async () => items), {
    name: "batch",
  });
  await request(() => load(1));
  const spans = exporter.getFinishedSpans();
  const batch = spans.find(({ name }) => name === "batch")?.spanContext().spanId;
  expect(finished().find(({ name }) => name === "statement")?.parent).toBe(batch);
});

test("a batch of rows belongs to a request that waited for it, and to none of the previous batch", async () => {
  const { promise: isStoring, resolve: storing } = withResolver();
  let second: Promise<string> | undefined;
  const batches = new FairBatches<number, number>({
    ownerOf: () => "",
    maxRows: 10,
    write: (unit) => withSpan("write", () => unit(undefined as never)),
    store: async (_, rows) => {
      storing();
      if (rows.includes(1)) while (second === undefined) await new Promise(setImmediate);
      return [...rows];
    },
    mayRetry: () => false,
    waitedForLock: () => false,
    coalesced: () => undefined,
  });
  const first = request(() => batches.add(1));
  await isStoring;
  second = request(() => batches.add(2));
  const parents = [await first, await second];
  expect(
    finished()
      .filter(({ name }) => name === "write")
      .map(({ parent }) => parent),
  ).toEqual(parents);
});
