import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import fastify from "fastify";
import { PET_ORDER } from "../../src/features/pets/pet.entity";
import { InFlightRequests, MAX_UNANSWERED_PER_CONNECTION } from "../../src/http/plugins/in-flight-requests";
import { UnsentResponses } from "../../src/http/plugins/unsent-responses";
import { startStream } from "../../src/http/start-stream";
import { onOneEngine, sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { openRaw, statusesIn } from "../support/raw";
import { slowTest } from "../support/slow-test";
import { suiteGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const inFlight = async (gateway: TestGateway): Promise<number> => {
  const { text } = await gateway.rest("GET", "/metrics", { token: null });
  return Number(/^gateway_http_requests_in_flight (\d+)/m.exec(text)?.[1]);
};
/** Waits until no request is in flight except the one for the metrics. */
const drained = async (gateway: TestGateway) => {
  await waitUntil(async () => (await inFlight(gateway)) <= 1);
};

/** @returns a function that returns how many requests for a path Node has since parsed in this process */
function countParsedRequests() {
  const paths: (string | undefined)[] = [];
  const listener = (message: unknown) => paths.push((message as { request: IncomingMessage }).request.url);
  subscribe("http.server.request.start", listener);
  return (path: string) => {
    unsubscribe("http.server.request.start", listener);
    return paths.filter((each) => each === path).length;
  };
}

onOneEngine((engine) => {
  describe("pipelined requests on a connection", () => {
    const gateway = suiteGateway(engine);
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    /** Holds a write until it is released, so that nothing behind it can be answered. */
    const holdWrites = async () => {
      const { database } = gateway.services;
      let release = () => {};
      let held: Promise<void> = Promise.resolve();
      await new Promise<void>((begun) => {
        held = database.write(async (tx) => {
          await tx.lockInsertOrder(PET_ORDER);
          begun();
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        });
      });
      return async () => {
        release();
        await held;
      };
    };
    const body = '{"name":"Rex","categoryId":1}';
    const create = () =>
      `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

    test("are all answered up to the limit, in order", async () => {
      const release = await holdWrites();
      const { socket, until, received } = openRaw(gateway.url);
      socket.write(create() + get("/healthz").repeat(MAX_UNANSWERED_PER_CONNECTION - 1));
      await waitUntil(async () => (await inFlight(gateway)) >= MAX_UNANSWERED_PER_CONNECTION);
      await release();
      await until('"ok"}');
      await waitUntil(() => statusesIn(received()).length >= MAX_UNANSWERED_PER_CONNECTION);
      expect(statusesIn(received())).toEqual([201, ...Array(MAX_UNANSWERED_PER_CONNECTION - 1).fill(200)]);
      socket.destroy();
      await drained(gateway);
    });

    test("close the connection beyond it, and none of them stays in flight", async () => {
      const release = await holdWrites();
      const parsed = countParsedRequests();
      const { socket, closed } = openRaw(gateway.url);
      socket.write(create() + get("/agent/whoami").repeat(5_000));
      expect(statusesIn(await closed)).toEqual([]);
      // Only one request beyond the limit is parsed; the others in the packet are not.
      expect(parsed("/agent/whoami")).toBe(MAX_UNANSWERED_PER_CONNECTION);
      // The write continues, but its connection is gone.
      await drained(gateway);
      await release();
    });

    test("whose client disconnects do not stay in flight", async () => {
      const release = await holdWrites();
      const { socket, closed } = openRaw(gateway.url);
      socket.write(create() + get("/agent/whoami").repeat(10));
      await waitUntil(async () => (await inFlight(gateway)) >= 11);
      socket.destroy();
      await closed;
      await drained(gateway);
      await release();
    });
  });
});

test("every pipelined response emits close once if its client disconnects, even if it is ready or a stream", async () => {
  const app = fastify();
  new InFlightRequests(() => undefined).track(app);
  const closes: Record<string, number> = {};
  let started = 0;
  app.get("/:kind", (request, reply) => {
    reply.raw.on("close", () => {
      closes[request.url] = (closes[request.url] ?? 0) + 1;
    });
    started += 1;
    if (request.url === "/answered") reply.send("queued");
    else if (request.url === "/stream") startStream(request, reply, 200);
  });
  const { socket } = openRaw(await app.listen({ port: 0, host: "127.0.0.1" }));
  const paths = ["/first", "/answered", "/stream", "/unanswered"];
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(""));
  await waitUntil(() => started === paths.length);
  socket.destroy();
  await waitUntil(() => Object.keys(closes).length === paths.length);
  await app.close();
  expect(closes).toEqual(Object.fromEntries(paths.map((path) => [path, 1])));
});

describe("responses that clients do not read", () => {
  const VIEWER = "GET /docs/viewer.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
  /** Requests whose responses are several times larger than the socket buffers between two programs on one machine. */
  const PIPELINED = VIEWER.repeat(MAX_UNANSWERED_PER_CONNECTION);

  slowTest("are cut off after REQUEST_TIMEOUT_SECONDS", async () => {
    const gateway = await startGateway(sqlite, { env: { REQUEST_TIMEOUT_SECONDS: "1" } });
    const { socket, closed } = openRaw(gateway.url);
    socket.pause();
    socket.write(PIPELINED);
    await waitUntil(async () => (await inFlight(gateway)) > 1);
    await drained(gateway);
    socket.resume();
    expect(statusesIn(await closed).length).toBeLessThan(MAX_UNANSWERED_PER_CONNECTION);
    await gateway.close();
  });

  slowTest(
    "count as requests in flight, and the longest waiting connections make room for the others",
    async () => {
      const gateway = await startGateway(sqlite, { env: { MAX_REQUESTS_IN_FLIGHT: "20" } });
      const { socket } = openRaw(gateway.url);
      socket.pause();
      socket.write(PIPELINED);
      const status = async () => (await gateway.rest("GET", "/agent/whoami")).status;
      while ((await status()) !== 503);
      while ((await status()) !== 200);
      await drained(gateway);
      socket.destroy();
      await gateway.close();
    },
  );

  test("are cut off, longest wait first and never the newest, while there are too many or too large ones", () => {
    let now = 0;
    const closed: string[] = [];
    const unsent = new UnsentResponses(2, 60_000, () => now);
    const add = (id: string) => unsent.add({ destroy: () => closed.push(id) } as never, 1);
    for (const id of ["a", "b", "c", "d"]) add(id);
    unsent.sweep();
    expect(closed).toEqual([]);
    now += 1_000;
    add("e");
    unsent.sweep();
    expect(closed).toEqual(["a", "b", "c"]);
    const large = new UnsentResponses(10, 60_000, () => now);
    const [first] = ["f", "g", "h"].map((id) =>
      large.add({ destroy: () => closed.push(id) } as never, 30 * 2 ** 20),
    );
    now += 1_000;
    large.sweep();
    if (first) large.delete(first);
    large.sweep();
    expect(closed.slice(3)).toEqual(["f"]);
    now += 60_000;
    large.sweep();
    expect(closed.slice(3)).toEqual(["f", "g", "h"]);
    unsent.close();
    large.close();
  });
});
