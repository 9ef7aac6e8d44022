import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A span as sent over the wire. */
export interface SeenSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string;
  attributes: Record<string, string | number>;
  /** IDs of the linked spans. */
  links: string[];
}

/** A metric as sent over the wire. */
export interface SeenMetric {
  name: string;
  kind: "gauge" | "sum" | "histogram" | undefined;
  /** `labels` are the label values. For a histogram, `value` is the count, and `buckets` are the buckets' counts. */
  points: { labels: string[]; value: number; buckets: number[] }[];
}

/** A line of the log as sent over the wire. */
export interface SeenRecord {
  text: string;
  severity: number;
  traceId: string;
}

/** Receives traces, metrics and logs by OTLP over HTTP, on a free port. */
export async function startCollector() {
  const bodies: Record<string, Buffer[]> = { "/v1/traces": [], "/v1/metrics": [], "/v1/logs": [] };
  const server = createServer(async (request, response) => {
    bodies[request.url ?? ""]?.push(await buffer(request));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const bodiesOf = (signal: string) => bodies[`/v1/${signal}`] ?? [];
  /** The field numbers in Export…ServiceRequest: `resource_…` is 1, `scope_…` in it is 2, and its records are 2. */
  const received = (signal: string, from = 0) =>
    bodiesOf(signal)
      .slice(from)
      .flatMap((body) => all(body, 1).flatMap((each) => all(each, 2).flatMap((scope) => all(scope, 2))));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All received traces, to check that they contain no forbidden text. */
    text: () => (bodies["/v1/traces"] ?? []).map((body) => body.toString("latin1")).join("\n"),
    spans: (): SeenSpan[] => received("traces").map(spanOf),
    /** The metrics of the last request. */
    metrics: (): SeenMetric[] => received("metrics", -1).map(metricOf),
    records: (): SeenRecord[] => received("logs").map(recordOf),
    /** The attributes of the process that sent a signal. */
    resource: (signal: "traces" | "metrics" | "logs"): Record<string, string | number> => {
      const [resource = Buffer.alloc(0)] = bodiesOf(signal).flatMap((body) =>
        all(all(body, 1)[0] ?? body, 1),
      );
      return attributesOf(resource, 1);
    },
    close: () => new Promise<void>((done) => void server.close(() => done())),
  };
}

/** Returns the attributes in a field of a message. */
function attributesOf(message: Buffer, field: number): Record<string, string | number> {
  const attributes = all(message, field).map((pair) => {
    const [value = Buffer.alloc(0)] = all(pair, 2);
    const [text] = all(value, 1);
    const number = fields(value).find(({ field }) => field === 3)?.value;
    return [all(pair, 1)[0]?.toString() ?? "", text?.toString() ?? Number(number)] as const;
  });
  return Object.fromEntries(attributes);
}

function spanOf(span: Buffer): SeenSpan {
  const hex = (field: number, of = span) => all(of, field)[0]?.toString("hex") ?? "";
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: all(span, 5)[0]?.toString() ?? "",
    attributes: attributesOf(span, 9),
    links: all(span, 13).map((link) => hex(2, link)),
  };
}

/** Metric: name 1, gauge 5, sum 7, histogram 9, each with its points 1. */
function metricOf(metric: Buffer): SeenMetric {
  const kinds = { gauge: 5, sum: 7, histogram: 9 } as const;
  const [kind] = (["gauge", "sum", "histogram"] as const).filter((each) => all(metric, kinds[each])[0]);
  const points = kind === undefined ? [] : all(all(metric, kinds[kind])[0] ?? metric, 1);
  return {
    name: all(metric, 1)[0]?.toString() ?? "",
    kind,
    points: points.map((point) => {
      const labels = all(point, kind === "histogram" ? 9 : 7);
      const [value] = all(point, 4);
      const [counts = Buffer.alloc(0)] = all(point, 6);
      return {
        labels: labels.map((pair) => all(all(pair, 2)[0] ?? pair, 1)[0]?.toString() ?? ""),
        value:
          kind === "histogram" ? Number(value?.readBigUInt64LE()) : (value?.readDoubleLE() ?? Number.NaN),
        buckets: Array.from({ length: counts.length / 8 }, (_, i) => Number(counts.readBigUInt64LE(i * 8))),
      };
    }),
  };
}

/** LogRecord: severity_number 2, body 5, trace_id 9. */
const recordOf = (record: Buffer): SeenRecord => ({
  text: all(all(record, 5)[0] ?? record, 1)[0]?.toString() ?? "",
  severity: Number(fields(record).find(({ field }) => field === 2)?.value),
  traceId: all(record, 9)[0]?.toString("hex") ?? "",
});

const all = (message: Buffer, field: number): Buffer[] =>
  fields(message).flatMap((each) =>
    each.field === field && Buffer.isBuffer(each.value) ? [each.value] : [],
  );

/** Parses Protocol Buffers' wire format, and returns the fields of a message by number. */
function fields(message: Buffer): { field: number; value: Buffer | bigint }[] {
  const found: { field: number; value: Buffer | bigint }[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const kind = tag & 7;
    const value = kind === 0 ? varint() : bytes(kind === 1 ? 8 : kind === 5 ? 4 : Number(varint()));
    found.push({ field: tag >> 3, value });
  }
  return found;
}
