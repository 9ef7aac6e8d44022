import { connect, createServer } from "node:net";
import { createApp } from "../../src/app";
import { loadConfig } from "../../src/config";
import { StartupError } from "../../src/errors";
import { createDataSource } from "../../src/features";
import { createLogger } from "../../src/logger";
import { onOneEngine, sqlite, type TestDatabase } from "../support/engines";
import { openRaw, sendBytes, statusesIn } from "../support/raw";

onOneEngine((engine) => {
  let database: TestDatabase;
  let app: Awaited<ReturnType<typeof createApp>>;
  let port: number;
  const HOST = "127.0.0.1";
  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
    const config = loadConfig({ DATABASE_URL: database.url, MAX_REQUESTS_IN_FLIGHT: "1" });
    app = await createApp(config, createDataSource(database.url), createLogger("silent"));
    await app.http.listen({ port: 0, host: HOST });
    port = await app.listenForManagement(0, HOST);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const ask = (path: string, init?: RequestInit) => fetch(`http://${HOST}:${port}${path}`, init);

  test("a separate port answers probes and scrapes like the main port", async () => {
    expect(await (await ask("/healthz")).json()).toEqual({ status: "ok" });
    expect(await (await ask("/readyz?from=probe")).json()).toEqual({ status: "ok", writes: "ok" });
    expect(await (await ask("/metrics")).text()).toContain("gateway_http_requests_total");
    expect((await ask("/readyz", { method: "DELETE" })).status).toBe(405);
  });

  test("a separate port answers nothing else, like the main port for unknown paths", async () => {
    const paths = ["/", "/graphql", "/v1/pets", "/dashboard/", "/healthz/x", "//healthz", "/HEALTHZ", "/%ZZ"];
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        const reply = await ask(path, { method });
        expect([path, reply.status, await reply.json()]).toEqual([
          path,
          404,
          expect.objectContaining({ code: "not_found", status: 404 }),
        ]);
        expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
        expect(reply.headers.get("x-request-id")).toMatch(/\S/);
      }
    }
  });

  test.each([
    ["no host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["bytes that are not HTTP", "nonsense\r\n\r\n", 400],
    ["headers over 16 KiB", `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ])("a request with %s is rejected as on the main port", async (_, bytes, status) => {
    const answer = await sendBytes(`http://${HOST}:${port}`, bytes);
    expect(statusesIn(answer)).toEqual([status]);
    expect(answer).toContain(`"status":${status}}`);
    expect(answer.toLowerCase()).toContain("\r\nx-content-type-options: nosniff\r\n");
  });

  test("a port in use is reported by the name of its setting", async () => {
    const other = createServer().listen(0, HOST);
    await new Promise((resolve) => other.once("listening", resolve));
    const taken = (other.address() as { port: number }).port;
    const failure = await app.listenForManagement(taken, HOST).catch((error: unknown) => error);
    other.close();
    expect(failure).toBeInstanceOf(StartupError);
    expect(String(failure)).toContain(`OPERATIONS_PORT ${taken}`);
  });

  test("the separate port reports that the server is stopping, as long as requests are in flight", async () => {
    const own = await engine.createMigratedDatabase();
    const config = loadConfig({ DATABASE_URL: own.url });
    const short = await createApp(config, createDataSource(own.url), createLogger("silent"));
    await short.http.listen({ port: 0, host: HOST });
    const ready = `http://${HOST}:${await short.listenForManagement(0, HOST)}/readyz`;
    const slow = connect((short.http.server.address() as { port: number }).port, HOST);
    slow.write("GET /healthz HTTP/1.1\r\n");
    await fetch(ready);
    const closed = short.close();
    expect((await fetch(ready)).status).toBe(503);
    slow.destroy();
    await closed;
    await own.drop();
  });

  test("the separate port closes with the server, even with an idle connection", async () => {
    const own = await engine.createMigratedDatabase();
    const config = loadConfig({ DATABASE_URL: own.url });
    const short = await createApp(config, createDataSource(own.url), createLogger("silent"));
    await short.http.listen({ port: 0, host: HOST });
    const silent = connect(await short.listenForManagement(0, HOST), HOST);
    await new Promise((resolve) => silent.once("connect", resolve));
    const ended = new Promise((resolve) => silent.once("close", resolve));
    await short.close();
    await ended;
    await own.drop();
  });
});

describe("a separate port", () => {
  let database: TestDatabase;
  let app: Awaited<ReturnType<typeof createApp>>;
  let url: string;
  beforeAll(async () => {
    database = await sqlite.createMigratedDatabase();
    const config = loadConfig({ REQUEST_TIMEOUT_SECONDS: "1", MAX_CONNECTIONS: "2" });
    app = await createApp(config, createDataSource(database.url), createLogger("silent"));
    await app.http.listen({ port: 0, host: "127.0.0.1" });
    url = `http://127.0.0.1:${await app.listenForManagement(0, "127.0.0.1")}`;
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  test("accepts MAX_CONNECTIONS, each for REQUEST_TIMEOUT_SECONDS if it sends nothing or half a request", async () => {
    const silent = openRaw(url);
    const slow = openRaw(url);
    slow.socket.write("GET /healthz HTTP/1.1\r\nHost: ");
    expect(await openRaw(url).closed).toBe("");
    for (const { closed } of [silent, slow]) {
      expect(await closed).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s);
    }
  });
});
