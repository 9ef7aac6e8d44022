import { EventEmitter } from "node:events";
import type { Server } from "node:net";
import { loadConfig } from "../../src/config";
import { limitConnections } from "../../src/http/connection-limits";
import { sqlite } from "../support/engines";
import { startGateway } from "../support/gateway";
import { openRaw, statusesIn } from "../support/raw";
import { rowsOf } from "../support/rejections";
import { suiteGateway } from "../support/suite";

describe("a client that sends little or nothing", () => {
  const gateway = suiteGateway(sqlite, { env: { REQUEST_TIMEOUT_SECONDS: "1" } });
  /** Sends the first part, then one byte at a time, and never completes the request. */
  const trickle = async (begin: string) => {
    const { socket, closed } = openRaw(gateway.url);
    socket.write(begin);
    const timer = setInterval(() => socket.write("x"), 100);
    const answers = await closed;
    clearInterval(timer);
    return answers;
  };
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\n` +
    "Content-Type: application/json\r\n";

  const unfinished: [string, () => string][] = [
    ["its request line", () => "GET /"],
    ["its headers", () => "GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
    ["a body for REST", () => `${head("/v1/pets")}Content-Length: 100000\r\n\r\n"`],
    ["a body for GraphQL", () => `${head("/graphql")}Content-Length: 60000\r\n\r\n"`],
    ["a chunk", () => `${head("/messages")}Transfer-Encoding: chunked\r\n\r\nfffff\r\n"`],
  ];
  const rejected = () => "POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";

  /** The responses; all clients are slow at the same time, so that the tests wait only once. */
  const answersTo = new Map<() => string, Promise<string>>();
  let silent: Promise<string>;
  beforeAll(() => {
    for (const begin of [...unfinished.map(([, begin]) => begin), rejected])
      answersTo.set(begin, trickle(begin()));
    silent = openRaw(gateway.url).closed;
  });

  test.each(unfinished)("of %s is cut off with 408", async (_, begin) => {
    const answers = (await answersTo.get(begin)) ?? "";
    expect(statusesIn(answers)).toEqual([408]);
    expect(answers).toContain('"code":"request_timeout"');
    expect(await rowsOf(gateway)).toEqual({ pets: 0, messages: 0 });
  });

  test("that sends nothing at all is disconnected", async () => {
    expect(statusesIn(await silent)).toEqual([408]);
  });

  test("of a body that is not read because its key was rejected is also cut off", async () => {
    const answers = (await answersTo.get(rejected)) ?? "";
    expect(statusesIn(answers)[0]).toBe(401);
  });
});

test.each(["MAX_CONNECTIONS", "MAX_CONNECTIONS_PER_ADDRESS"])(
  "connections beyond %s are closed, until one of the others ends",
  async (setting) => {
    const gateway = await startGateway(sqlite, { env: { [setting]: "3" } });
    const ask = () => {
      const connection = openRaw(gateway.url);
      connection.socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return connection;
    };
    const answered = async (connection: ReturnType<typeof ask>) => {
      await connection.until('"ok"');
      return connection;
    };
    // One connection belongs to the test, which has signed in and keeps it open.
    const held = await Promise.all([answered(ask()), answered(ask())]);
    expect(statusesIn(await ask().closed)).toEqual([]);
    for (const { socket } of held) socket.destroy();
    await Promise.all(held.map(({ closed }) => closed));
    let next = ask();
    while ((await Promise.race([answered(next), next.closed])) === "") next = ask();
    next.socket.destroy();
    await gateway.close();
  },
);

test("the limit of an address does not count others' connections, and is logged once", () => {
  const server = new EventEmitter();
  const warn = jest.fn();
  limitConnections(server as Server, { maxConnections: 99, maxConnectionsPerAddress: 2 }, { warn });
  const open = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: jest.fn() });
    server.emit("connection", socket);
    return socket;
  };
  const isRejected = (address: string) => open(address).destroy.mock.calls.length > 0;
  const first = open("192.0.2.1");
  expect(["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1", "192.0.2.2"].map(isRejected)).toEqual([
    ...[false, true, true, false],
  ]);
  first.emit("close");
  expect(["192.0.2.1", "192.0.2.1"].map(isRejected)).toEqual([false, true]);
  expect(["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"].map(isRejected)).toEqual([
    ...[false, false, true, false],
  ]);
  expect(warn).toHaveBeenCalledTimes(1);
});

test.each([
  [{}, 1_000],
  [{ TRUST_PROXY: "1" }, 0],
  [{ TRUST_PROXY: "1", MAX_CONNECTIONS_PER_ADDRESS: "5" }, 5],
])("with %j, the connections of an address are limited to %i (0 means no limit)", (env, limit) => {
  expect(loadConfig(env).maxConnectionsPerAddress).toBe(limit);
});
