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

/** Receives traces by OTLP over HTTP, on a free port. */
export async function startCollector() {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await buffer(request));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Everything received, to check that it contains no forbidden text. */
    text: () => bodies.map((body) => body.toString("latin1")).join("\n"),
    /** ExportTraceServiceRequest: resource_spans 1, scope_spans 2, spans 2. */
    spans: (): SeenSpan[] =>
      bodies.flatMap((body) =>
        all(body, 1).flatMap((resource) => all(resource, 2).flatMap((scope) => all(scope, 2).map(spanOf))),
      ),
    close: () => new Promise<void>((done) => void server.close(() => done())),
  };
}

function spanOf(span: Buffer): SeenSpan {
  const attributes = all(span, 9).map((pair) => {
    const [value = Buffer.alloc(0)] = all(pair, 2);
    const [text] = all(value, 1);
    const number = fields(value).find(({ field }) => field === 3)?.value;
    return [all(pair, 1)[0]?.toString() ?? "", text?.toString() ?? Number(number)] as const;
  });
  const hex = (field: number, of = span) => all(of, field)[0]?.toString("hex") ?? "";
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: all(span, 5)[0]?.toString() ?? "",
    attributes: Object.fromEntries(attributes),
    links: all(span, 13).map((link) => hex(2, link)),
  };
}

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
