import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BatchedStream } from "../common/batched-stream";
import { getOrCreate } from "../common/get-or-create";
import { clientDisconnected } from "../errors";
import { toGatewayError } from "../graphql/errors";
import { errorBodyFor } from "../http/error-body";
import { prefersToJson } from "../http/media-types";
import { startStream } from "../http/start-stream";

const TYPE = "text/event-stream";

const TIMES = {
  /** Interval between heartbeats on an idle stream (ms), which proxies would close after a silent minute. */
  heartbeatMs: 15_000,
  /** Close the connection of a client that reads nothing for this long (ms). */
  stalledMs: 30_000,
  sweepMs: 1_000,
};

/** Time that clients should wait before they reconnect (ms). */
const RETRY_MS = 2_000;

interface OpenStream {
  raw: ServerResponse;
  stream: BatchedStream<unknown>;
  /** The last position sent. */
  position: string;
  lastWriteAt: number;
  stalledSince: number | undefined;
}

/** True if a client asks for Server-Sent Events rather than JSON. */
export const wantsEventStream = ({ method, headers }: FastifyRequest): boolean =>
  method === "GET" && prefersToJson(TYPE, headers.accept);

/** Sends Server-Sent Events (HTML, 9.2), each stream as fast as its client reads; shared batches are framed once. */
export class EventStreams<Item> {
  private readonly open = new Set<OpenStream>();
  private readonly frames = new WeakMap<readonly Item[], Buffer>();
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly toFrame: (item: Item) => string,
    private readonly times = TIMES,
  ) {}

  /** Responds with a stream until either side closes it. */
  async send(request: FastifyRequest, reply: FastifyReply, stream: BatchedStream<Item>): Promise<void> {
    const { raw } = reply;
    // The client may have disconnected while the stream was being opened. Only a response ends the request's load then.
    if (raw.destroyed) {
      void stream.return();
      throw clientDisconnected();
    }
    startStream(request, reply, 200);
    raw.once("close", () => void stream.return());
    raw.on("error", () => undefined);
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": TYPE,
      "cache-control": "no-store",
      // Disables buffering in nginx.
      "x-accel-buffering": "no",
    });
    const { position } = stream;
    const sending = { raw, stream, position, lastWriteAt: performance.now(), stalledSince: undefined };
    this.add(sending);
    try {
      // The first position lets clients resume from here even if they have received no event.
      await write(sending, `retry: ${RETRY_MS}\n${positionFrame(position)}`);
      for (let items = await stream.nextBatch(); items !== undefined; items = await stream.nextBatch()) {
        const toFrames = () => Buffer.from(items.map(this.toFrame).join(""));
        await write(sending, getOrCreate(this.frames, items, toFrames));
      }
      end(raw, ": the server is stopping\n");
    } catch (cause) {
      const error = toGatewayError(cause);
      if (error.status >= 500) request.log.error({ err: error.cause }, error.code);
      const { body } = errorBodyFor(error, request.headers.accept);
      end(raw, `event: error\ndata: ${JSON.stringify(body)}\n\n`);
    } finally {
      this.open.delete(sending);
    }
  }

  private add(sending: OpenStream): void {
    this.open.add(sending);
    this.sweeper ??= setInterval(() => this.sweep(), this.times.sweepMs).unref();
  }

  /** Closes the connections of clients that do not read, and sends heartbeats to the others. */
  private sweep(): void {
    if (this.open.size === 0) {
      clearInterval(this.sweeper);
      this.sweeper = undefined;
    }
    const now = performance.now();
    for (const sending of this.open) {
      const { raw, stream, stalledSince, lastWriteAt } = sending;
      if (stalledSince !== undefined) {
        if (now - stalledSince >= this.times.stalledMs) raw.destroy();
      } else if (now - lastWriteAt >= this.times.heartbeatMs) {
        // A later position advances the client past events that the filter excluded.
        const isAhead = stream.position !== sending.position;
        // A comment without an empty line, because some clients report each empty line as an empty event.
        void write(sending, isAhead ? positionFrame(stream.position) : ":\n");
      }
    }
  }
}

/** Returns a position as an event with data, because some clients ignore the ID of an event without data. */
const positionFrame = (position: string): string =>
  `id: ${position}\nevent: position\ndata: ${JSON.stringify({ position })}\n\n`;

/** Writes to a client and waits until it has read enough or has disconnected. */
async function write(sending: OpenStream, text: string | Buffer): Promise<void> {
  const { raw, stream } = sending;
  if (raw.destroyed) return;
  sending.lastWriteAt = performance.now();
  sending.position = stream.position;
  if (raw.write(text)) return;
  sending.stalledSince ??= sending.lastWriteAt;
  await new Promise<void>((resolve) => {
    const done = () => {
      raw.off("drain", done);
      raw.off("close", done);
      resolve();
    };
    raw.on("drain", done);
    raw.on("close", done);
  });
  sending.stalledSince = undefined;
}

/** Ends a response and its connection, so that the client reconnects, perhaps to another server. */
function end(raw: ServerResponse, text: string): void {
  const { socket } = raw;
  if (raw.destroyed) return;
  raw.end(text, () => socket?.end());
  socket?.setTimeout(TIMES.stalledMs, () => socket.destroy());
}
