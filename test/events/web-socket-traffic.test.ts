import fastify, { type FastifyInstance } from "fastify";
import { WebSocket } from "ws";
import {
  BYTES_PER_SECOND,
  MAX_MESSAGES_PER_SECOND,
  TrafficLimit,
} from "../../src/graphql/websocket/traffic-limit";
import { WebSockets } from "../../src/graphql/websocket/websockets";
import { routeHandshakes } from "../../src/http/websocket-handshakes";
import { slowTest } from "../support/slow-test";
import { RawSocket } from "../support/web-socket";

/** The server's time (ms). */
let now = 0;
let app: FastifyInstance;
let socket: RawSocket;

beforeEach(async () => {
  app = fastify({ logger: false });
  app.decorateRequest("isStream", false);
  app.decorateRequest("endTracking", undefined);
  const handshakes = routeHandshakes(app, "/graphql", { tls: undefined });
  // An accepted client; each of its messages is answered with its number.
  const opened: ConstructorParameters<typeof WebSockets>[0]["opened"] = ({ send: reply, traffic }) => {
    traffic.accept();
    let received = 0;
    const receive = async () => {
      received += 1;
      await reply(JSON.stringify({ type: "received", id: String(received) }));
    };
    return { receive, closed: () => undefined };
  };
  new WebSockets({ opened }, undefined, () => now).accept(app, handshakes, () => undefined);
  app.get("/graphql", async () => "no handshake");
  socket = new RawSocket({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
  await socket.opened();
});

afterEach(async () => {
  jest.restoreAllMocks();
  socket.socket.terminate();
  await app.close();
});

const send = (count: number, text = "{}") => {
  for (let i = 0; i < count; i++) socket.send(text);
};
const received = (count: number) =>
  socket.until(({ messages }) => messages.some(({ id }) => id === String(count)));

test.each<[string, () => void]>([
  ["messages", () => socket.send("{}")],
  ["pings", () => socket.socket.ping()],
  ["pongs", () => socket.socket.pong()],
])("a client that sends more %s at the same time than a second allows is cut off", async (_, sendOne) => {
  send(1);
  for (let i = 0; i < MAX_MESSAGES_PER_SECOND - 2; i++) sendOne();
  send(1);
  await socket.until(({ messages }) => messages.length >= 2);
  sendOne();
  expect(await socket.end()).toEqual({ code: 1013, reason: expect.stringMatching(/^rate_limited: /) });
});

slowTest("a client may send more messages as time passes", async () => {
  send(MAX_MESSAGES_PER_SECOND);
  await received(MAX_MESSAGES_PER_SECOND);
  now += 100;
  send(MAX_MESSAGES_PER_SECOND / 10);
  await received(MAX_MESSAGES_PER_SECOND + MAX_MESSAGES_PER_SECOND / 10);
  send(1);
  expect(await socket.end()).toMatchObject({ code: 1013 });
});

slowTest("the rest of a flood that is cut off is not examined", async () => {
  send(10_000);
  expect(await socket.end()).toMatchObject({ code: 1013 });
  expect(socket.messages).toHaveLength(MAX_MESSAGES_PER_SECOND);
});

test("a client that sends more bytes than are read per second waits, and loses nothing", async () => {
  const pause = jest.spyOn(WebSocket.prototype, "pause");
  send(3, "x".repeat(60_000));
  await received(3);
  expect(pause).toHaveBeenCalled();
  expect(socket.closed).toBeUndefined();
});

test("bytes that are read on credit are paid back before more are read", () => {
  const traffic = new TrafficLimit(() => now);
  expect(traffic.takeBytes(2 * BYTES_PER_SECOND)).toBe(0);
  expect(traffic.takeBytes(BYTES_PER_SECOND)).toBe(1_000);
  now += 500;
  expect(traffic.takeBytes(0)).toBe(500);
  now += 500;
  expect(traffic.takeBytes(0)).toBe(0);
});

test("a message in many fragments closes the connection", async () => {
  for (let i = 0; i < 200; i++) socket.socket.send("", { fin: false });
  expect(await socket.end()).toMatchObject({ code: 1008 });
});
