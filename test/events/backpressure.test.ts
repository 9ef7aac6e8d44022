import { connect, type Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { WebSocket } from "ws";
import type { BatchedStream } from "../../src/common/batched-stream";
import { WebSockets } from "../../src/graphql/websocket/websockets";
import { routeHandshakes } from "../../src/http/websocket-handshakes";
import { EventStreams } from "../../src/rest/event-stream";

const ITEM = "x".repeat(10_000);
const BATCH = Array.from({ length: 20 }, () => ITEM);
const BATCH_BYTES = ITEM.length * BATCH.length;
/** Far more than the buffers at both ends of a connection can hold. */
const FAR_TOO_MUCH = 200_000_000;

/** An endless stream, which counts the data that was taken from it. */
class Endless implements BatchedStream<string> {
  readonly position = "1";
  taken = 0;
  readonly ended: Promise<void>;
  private end: () => void = () => undefined;
  private isEnded = false;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async nextBatch(): Promise<readonly string[] | undefined> {
    await new Promise(setImmediate);
    this.taken += BATCH_BYTES;
    if (this.taken > FAR_TOO_MUCH) throw new Error("The stream was read without an end.");
    return this.isEnded ? undefined : BATCH;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    return { done: false, value: ITEM };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.isEnded = true;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

let app: FastifyInstance;
const sockets: Socket[] = [];
beforeEach(() => {
  app = fastify({ logger: false });
  app.decorateRequest("isStream", false);
  app.decorateRequest("endTracking", undefined);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

/** Connects a client that sends a request and then reads nothing. */
async function connectSilently(head: string): Promise<Socket> {
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const socket = connect(Number(port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(head);
  return socket;
}

test("a client of an event stream that never reads holds a batch, and is disconnected", async () => {
  const stream = new Endless();
  const times = { heartbeatMs: 20, stalledMs: 200, sweepMs: 20 };
  const streams = new EventStreams<string>((item) => `data: ${item}\n\n`, times);
  app.get("/", (request, reply) => streams.send(request, reply, stream));
  await connectSilently("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await stream.ended;
  expect(stream.taken).toBeLessThan(FAR_TOO_MUCH / 4);
});

test("an idle event stream has heartbeats, which show how far it has been read", async () => {
  const times = { heartbeatMs: 20, stalledMs: 200, sweepMs: 20 };
  const streams = new EventStreams<string>((item) => item, times);
  let end = () => {};
  let position = 1;
  const stream = {
    get position() {
      return String(position);
    },
    nextBatch: () => new Promise((resolve) => (end = () => resolve(undefined))),
    return: async () => end(),
  } as unknown as BatchedStream<string>;
  app.get("/", (request, reply) => streams.send(request, reply, stream));
  const response = await fetch(await app.listen({ port: 0, host: "127.0.0.1" }));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const until = async (wanted: string) => {
    for (let text = ""; !text.includes(wanted); ) text += (await reader?.read())?.value;
  };
  await until('retry: 2000\nid: 1\nevent: position\ndata: {"position":"1"}\n\n');
  await until(":\n");
  position = 17;
  await until('id: 17\nevent: position\ndata: {"position":"17"}\n\n');
  end();
  await until(": the server is stopping\n");
  expect((await reader?.read())?.done).toBe(true);
});

test("a WebSocket client that never reads gets one message at a time, and is disconnected", async () => {
  const handshakes = routeHandshakes(app, "/graphql", { tls: undefined });
  let sent = 0;
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    const webSockets = new WebSockets(
      {
        opened: (socket) => {
          const send = async () => {
            while (!isClosed && sent < FAR_TOO_MUCH) {
              await socket.send(ITEM);
              sent += ITEM.length;
              await new Promise(setImmediate);
            }
          };
          void send();
          const closed = () => {
            isClosed = true;
            resolve();
          };
          return { receive: async () => undefined, closed };
        },
      },
      100,
    );
    webSockets.accept(app, handshakes, () => undefined);
    app.get("/graphql", async () => "no handshake");
  });
  await connectSilently(
    [
      "GET /graphql HTTP/1.1",
      "Host: localhost",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol: graphql-transport-ws",
      "\r\n",
    ].join("\r\n"),
  );
  await closed;
  expect(sent).toBeLessThan(FAR_TOO_MUCH / 4);
});

test("a WebSocket client that sends without reading the answers is disconnected", async () => {
  const handshakes = routeHandshakes(app, "/graphql", { tls: undefined });
  let received = 0;
  const webSockets = new WebSockets({
    opened: (socket) => ({
      receive: async () => {
        received += 1;
        void socket.send(ITEM);
      },
      closed: () => undefined,
    }),
  });
  webSockets.accept(app, handshakes, () => undefined);
  app.get("/graphql", async () => "no handshake");
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const client = new WebSocket(`ws://127.0.0.1:${port}/graphql`, "graphql-transport-ws");
  await new Promise((resolve) => client.once("open", resolve));
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  client.on("error", () => undefined);
  client.pause();
  const flood = setInterval(() => {
    for (let i = 0; i < 100 && client.readyState === client.OPEN; i++) client.send("{}");
    // Reads just enough to notice the end.
    if (received > 0 && webSockets.connections === 0) client.resume();
  }, 5);
  await closed;
  clearInterval(flood);
  expect(received * ITEM.length).toBeLessThan(FAR_TOO_MUCH / 4);
});
