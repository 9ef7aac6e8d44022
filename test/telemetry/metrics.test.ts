import { once } from "node:events";
import { request } from "node:http";
import { version } from "../../src/version";
import { closedAfterEach } from "../support/closing";
import { onAnyEngine, sqlite } from "../support/engines";
import { mint, operator, startGateway } from "../support/gateway";
import { scrape } from "../support/metrics";
import { endProcesses, startServer } from "../support/process";
import { slowTest } from "../support/slow-test";
import { suiteGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

onAnyEngine((engine) => {
  const gateway = suiteGateway(engine);
  let before: Awaited<ReturnType<typeof scrape>>;
  beforeEach(async () => {
    before = await scrape(gateway);
  });
  /** Scrapes the gateway; its totals are the growth since the start of the test. */
  const scrapeGrowth = async () => {
    const after = await scrape(gateway);
    const total: typeof after.total = (...of) => after.total(...of) - before.total(...of);
    return { ...after, total };
  };

  test("requests are counted by API, route, method and status, and timed", async () => {
    await gateway.rest("GET", "/v1/pets?limit=5");
    await gateway.rest("GET", "/v1/pets", { token: null });
    await gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    await gateway.rest("GET", "/v1/pets/1");
    await gateway.rest("GET", "/v1/pets/2");
    await gateway.rest("DELETE", "/v1/pets");
    await gateway.rest("GET", "/dashboard/keys", { token: null });
    await gateway.rest("GET", "/healthz", { token: null });
    await gateway.graphql("{ whoami { agent { slug } } }");
    const { total } = await scrapeGrowth();
    const requests = (api: string, route: string, method: string, status: string) =>
      total("gateway_http_requests_total", { api, route, method, status });
    expect(requests("rest", "/v1/pets", "GET", "200")).toBe(1);
    expect(requests("rest", "/v1/pets", "GET", "401")).toBe(1);
    expect(requests("rest", "/v1/pets", "POST", "201")).toBe(1);
    expect(requests("rest", "/v1/pets/:petId", "GET", "200")).toBe(1);
    expect(requests("rest", "/v1/pets/:petId", "GET", "404")).toBe(1);
    expect(requests("rest", "/v1/pets", "DELETE", "405")).toBe(1);
    expect(total("gateway_http_requests_total", { api: "dashboard", route: "/dashboard/*" })).toBe(1);
    expect(requests("other", "/healthz", "GET", "200")).toBe(1);
    expect(requests("graphql", "/graphql", "POST", "200")).toBe(1);
    const pets = { api: "rest", route: "/v1/pets", method: "GET" };
    expect(total("gateway_http_request_duration_seconds_count", pets)).toBe(2);
    expect(total("gateway_http_request_duration_seconds_sum", pets)).toBeGreaterThan(0);
  });

  test("nothing that a client sends becomes a label, such as a URL, a method, an operation's name or a key", async () => {
    const { secret } = await mint(gateway);
    await gateway.rest("GET", `/${secret}/nowhere?token=${secret}`);
    await gateway.rest("PROPFIND", "/v1/pets");
    await gateway.rest("LINK", "/v1/pets");
    await gateway.rest("GET", `/dashboard/assets/${secret}`);
    await gateway.graphql(`query ${secret} { whoami { agent { slug } } }`);
    await gateway.graphql("query ($a: ID!) { pet(id: $a) { id } }", { a: secret });
    const { text, total } = await scrapeGrowth();
    expect(text).not.toContain(secret.slice(0, 20));
    expect(text).not.toContain("PROPFIND");
    expect(total("gateway_http_requests_total", { route: "unknown", status: "404" })).toBe(1);
    expect(total("gateway_http_requests_total", { method: "other", status: "405" })).toBe(2);
  });

  test("GraphQL operations are counted by type and error code", async () => {
    await gateway.graphql("{ whoami { agent { slug } } }");
    // Often enough for the server to compile the document.
    for (let i = 0; i < 10; i += 1) await gateway.graphql("{ pets { nodes { id } } }");
    await gateway.graphql('mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }');
    await gateway.graphql('mutation { createPet(input: { name: "", categoryId: "1" }) { id } }');
    await gateway.graphql("{ members { id } }");
    await gateway.graphql("{ nonsense }");
    await gateway.graphql("{ ");
    const { total } = await scrapeGrowth();
    const operations = (type: string, outcome: string) =>
      total("gateway_graphql_operations_total", { type, outcome });
    expect(operations("query", "ok")).toBe(11);
    expect(operations("mutation", "ok")).toBe(1);
    expect(operations("mutation", "invalid_request")).toBe(1);
    expect(operations("query", "forbidden")).toBe(1);
    expect(operations("none", "graphql_validation_failed")).toBe(1);
    expect(operations("none", "graphql_parse_failed")).toBe(1);
  });

  test("key checks are counted by outcome, at both APIs", async () => {
    const revoked = await mint(gateway);
    await gateway.services.keys.revoke(await operator(gateway), revoked.id);
    await gateway.rest("GET", "/agent/whoami");
    await gateway.graphql("{ whoami { agent { slug } } }");
    await gateway.rest("GET", "/agent/whoami", { token: revoked.secret });
    await gateway.rest("GET", "/agent/whoami", { token: `agk_dev_${"x".repeat(40)}` });
    await gateway.rest("GET", "/agent/whoami", { token: null });
    const { samples, total } = await scrapeGrowth();
    const checks = (outcome: string) => total("gateway_key_checks_total", { outcome });
    expect([checks("accepted"), checks("key_revoked"), checks("invalid_api_key")]).toEqual([2, 1, 1]);
    // A rate needs a sample before the first event.
    const counters = samples.filter(({ name, value }) => name === "gateway_key_checks_total" && value === 0);
    expect(counters.map(({ labels }) => labels.outcome).sort()).toEqual([
      "address_not_allowed",
      "internal_error",
      "key_expired",
      "key_not_resolvable",
      "too_many_attempts",
      "unavailable",
    ]);
  });

  test("shared queries and commits are counted with the number of calls that shared them, and commits are timed", async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        gateway.rest("POST", "/messages", {
          body: { message: "Hello" },
          headers: { "idempotency-key": `${i}` },
        }),
      ),
    );
    await gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    const { total: grown } = await scrapeGrowth();
    expect(grown("gateway_database_batch_size_sum", { of: "keys" })).toBe(21);
    expect(grown("gateway_database_batch_size_count", { of: "keys" })).toBeLessThanOrEqual(21);
    expect(grown("gateway_database_batch_size_sum", { of: "inserts" })).toBe(21);
    const transactions = grown("gateway_database_transaction_duration_seconds_count");
    expect(transactions).toBeGreaterThanOrEqual(2);
    expect(grown("gateway_database_transaction_duration_seconds_sum")).toBeGreaterThan(0);
    expect(grown("gateway_database_batch_size_count", { of: "transaction" })).toBe(
      engine.name === "SQLite" ? transactions : 0,
    );
  });

  test("database failures are counted, and the amount of waiting work is shown", async () => {
    const { database } = gateway.services;
    await expect(database.write((tx) => tx.query("nonsense"))).rejects.toThrow();
    const idle = await scrapeGrowth();
    expect(idle.total("gateway_database_errors_total", { kind: "unexpected" })).toBe(1);
    expect(idle.total("gateway_database_errors_total", { kind: "unavailable" })).toBe(0);

    const units = Array.from({ length: 15 }, () => database.write((tx) => tx.query("SELECT 1")));
    const { waiting } = database.stats();
    await Promise.all(units);
    // The gateway itself may be writing at the same time.
    const isSqlite = engine.name === "SQLite";
    expect(waiting.report).toBe(0);
    expect(isSqlite ? waiting.writer : waiting.transaction).toBeGreaterThanOrEqual(isSqlite ? 15 : 9);
    const { total, samples } = await scrape(gateway);
    expect(total("gateway_database_waiting")).toBe(0);
    const states = samples.filter(({ name }) => name === "gateway_database_connections");
    expect(states).toHaveLength(engine.name === "SQLite" ? 0 : 2);
  });

  slowTest(
    "requests in flight are counted until their response is sent or their client disconnects",
    async () => {
      expect((await scrape(gateway)).total("gateway_http_requests_in_flight")).toBe(1);
      const post = request(`${gateway.url}/v1/pets`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${gateway.key}`,
          "content-type": "application/json",
          expect: "100-continue",
        },
      });
      post.on("error", () => undefined).flushHeaders();
      await once(post, "continue");
      expect((await scrape(gateway)).total("gateway_http_requests_in_flight")).toBe(2);
      post.destroy();
      const labels = { route: "/v1/pets", method: "POST", status: "aborted" };
      let aborted = 0;
      await waitUntil(async () => {
        const { total } = await scrape(gateway);
        aborted = total("gateway_http_requests_total", labels);
        if (aborted > 0) expect(total("gateway_http_requests_in_flight")).toBe(1);
        return aborted > 0;
      });
      expect(aborted).toBe(1);
    },
  );
});

describe("/metrics", () => {
  const keep = closedAfterEach();
  const TOKEN = "a token of twenty characters".replaceAll(" ", "-");
  const start = (env: Record<string, string>) => keep(startGateway(sqlite, { env }));
  const shared = suiteGateway(sqlite);
  afterEach(endProcesses);

  test("requires METRICS_TOKEN if that is set", async () => {
    const gateway = await start({ METRICS_TOKEN: TOKEN, ENVIRONMENT: "production" });
    const read = (token: string | null) => gateway.rest("GET", "/metrics", { token });
    expect(await read(TOKEN)).toMatchObject({ status: 200 });
    for (const token of [null, "", gateway.key, gateway.owner, `${TOKEN}x`]) {
      const rejected = await read(token);
      expect(rejected).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
      expect(rejected.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test.each(["staging", "production"])("is closed in %s without METRICS_TOKEN", async (environment) => {
    const gateway = await start({ ENVIRONMENT: environment });
    for (const token of [null, gateway.key, "undefined"]) {
      const rejected = await gateway.rest("GET", "/metrics", { token });
      expect(rejected).toMatchObject({ status: 403, body: { code: "forbidden" } });
    }
  });

  test("is open to this machine in development, must not be stored, and answers HEAD", async () => {
    const reply = await shared.rest("GET", "/metrics", { token: null });
    expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(await shared.rest("HEAD", "/metrics", { token: null })).toMatchObject({ status: 200, text: "" });
    expect((await shared.rest("POST", "/metrics", { token: null })).headers.get("allow")).toBe(
      "GET, HEAD, OPTIONS",
    );
  });

  test("is in OpenMetrics for a client that prefers it, with the same series", async () => {
    const read = (accept: string) => shared.rest("GET", "/metrics", { token: null, headers: { accept } });
    const seriesOf = (text: string) =>
      text.split("\n").flatMap((line) => (/^[^#\n]/.test(line) ? line.slice(0, line.lastIndexOf(" ")) : []));
    // Only the next response counts the request for this one.
    await read("*/*");
    const known = seriesOf((await read("*/*")).text);
    const text = "text/plain; version=0.0.4; charset=utf-8";
    const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    const prometheus =
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;q=0.3";
    for (const [accept, type] of [
      [prometheus, openMetrics],
      ["application/openmetrics-text", openMetrics],
      ["application/openmetrics-text;version=0.0.1,text/plain;q=0.1", text],
      ["application/json", text],
    ] as const) {
      const reply = await read(accept);
      expect([accept, reply.headers.get("content-type")]).toEqual([accept, type]);
      expect(seriesOf(reply.text)).toEqual(known);
      if (type === text) continue;
      expect(reply.text).toMatch(/[^\n]\n# EOF\n$/);
      expect(reply.text).not.toMatch(/\n\n|^# HELP .*"/m);
      const counters = [...reply.text.matchAll(/^# TYPE (\S+) counter\n(\S+)/gm)];
      expect(counters).not.toEqual([]);
      for (const [, name, series] of counters) expect(series).toMatch(new RegExp(`^${name}_total\\b`));
    }
  });

  test("is closed to a proxy on this machine, and to a page whose host name resolves to this machine", async () => {
    const { port } = new URL(shared.url);
    const statusWith = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(`${shared.url}/metrics`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .once("error", reject)
          .end();
      });
    expect(await statusWith({ host: `localhost:${port}` })).toBe(200);
    expect(await statusWith({ "x-forwarded-for": "203.0.113.1" })).toBe(403);
    expect(await statusWith({ host: `rebound.example:${port}` })).toBe(403);
    expect(await statusWith({ host: "127.0.0.1.example" })).toBe(403);
  });

  test("covers only one app if a process has several", async () => {
    const [one, other] = await Promise.all([start({}), start({})]);
    await one.rest("GET", "/v1/pets");
    const pets = { route: "/v1/pets" };
    expect((await scrape(one)).total("gateway_http_requests_total", pets)).toBe(1);
    expect((await scrape(other)).total("gateway_http_requests_total", pets)).toBe(0);
  });

  slowTest("of a running server also covers the process", async () => {
    const testDatabase = await keep(sqlite.createMigratedDatabase());
    const { url, stop } = await startServer({ DATABASE_URL: testDatabase.url });
    const rest = async () => {
      const response = await fetch(`${url}/metrics`);
      return { status: response.status, text: await response.text() } as never;
    };
    const { total, samples } = await scrape({ rest });
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "nodejs_eventloop_lag_p99_seconds",
      "gateway_event_loop_busy_seconds_total",
    ]) {
      expect(total(name)).toBeGreaterThan(0);
    }
    expect(samples).toContainEqual({
      name: "gateway_build_info",
      labels: { version, node_version: process.version },
      value: 1,
    });
    expect((await stop()).code).toBe(0);
  });
});
