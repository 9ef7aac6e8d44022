import { type SeenSpan, startCollector } from "../support/collector";
import { onOneEngine } from "../support/engines";
import { endProcesses } from "../support/process";
import { start } from "./traced-server";

const PARENT = "b7ad6b7169203331";

onOneEngine((engine) => {
  const REST = "1".repeat(32);
  const GRAPHQL = "2".repeat(32);
  const SHARED = Array.from({ length: 20 }, (_, i) => `${i + 10}`.padStart(32, "a"));
  const inTrace = (trace: string) => ({ traceparent: `00-${trace}-${PARENT}-01` });
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let seen: SeenSpan[];
  let log: string;
  let secrets: string[];

  /** Sends the requests of all tests to one server, because a server sends all of its spans only when it stops. */
  beforeAll(async () => {
    collector = await startCollector();
    const gateway = await start(engine, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: "service.name=shop,service.instance.id=pod-1",
    });
    const { rest, graphql, credentials, key } = gateway;
    await rest("GET", "/v1/pets?limit=5", { headers: { ...inTrace(REST), "x-request-id": "mine" } });
    await graphql("query Mine { whoami { agent { slug } } }", {}, { headers: inTrace(GRAPHQL) });
    await Promise.all(
      SHARED.map((trace) => rest("GET", "/agent/whoami", { token: key, headers: inTrace(trace) })),
    );
    const signIn = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
    const owner = JSON.parse((await graphql(signIn, { input: credentials })).text).data.signIn.token;
    await rest("GET", `/${key}?token=${key}`, { token: key });
    await rest("GET", "/v1/pets?cursor=a-cursor-of-mine", { token: key });
    await rest("POST", "/messages", { token: key, body: { message: "a message of mine" } });
    await graphql(`query ${key} { pets { nodes { name } } }`, {}, { token: key });
    await graphql("query ($a: ID!) { pet(id: $a) { id } }", { a: "a-variable-of-mine" });
    await graphql("{ agents { slug } }", {}, { token: owner });
    await gateway.close();
    seen = collector.spans();
    log = gateway.log();
    secrets = [key, key.slice(-28), owner, credentials.password, credentials.email];
  });
  afterAll(async () => {
    await endProcesses();
    await collector.close();
  });

  test("a REST request is followed from the caller's trace to the database", () => {
    const spans = seen.filter(({ traceId }) => traceId === REST);
    const request = spans.find(({ parentId }) => parentId === PARENT);
    expect(request).toMatchObject({
      name: "GET /v1/pets",
      attributes: {
        "http.request.method": "GET",
        "http.route": "/v1/pets",
        "http.response.status_code": 200,
        "gateway.request_id": "mine",
      },
    });
    const keys = spans.find(({ name, parentId }) => name === "batch of keys" && parentId === request?.spanId);
    expect(keys).toBeDefined();
    const lookup = spans.find(
      ({ name, parentId }) => name === "database lookup" && parentId === keys?.spanId,
    );
    expect(lookup?.attributes).toEqual({ "db.system.name": engine.name.toLowerCase() });
  });

  test("a GraphQL request with a body is one trace, with its operation, even in the log", () => {
    const spans = seen.filter(({ traceId }) => traceId === GRAPHQL);
    const request = spans.find(({ name }) => name === "POST /graphql");
    const operation = spans.find(({ name }) => name === "graphql");
    expect(operation?.parentId).toBe(request?.spanId);
    expect(operation?.attributes).toEqual({
      "graphql.operation.type": "query",
      "graphql.operation.name": "Mine",
    });
    const lines = log.split("\n").filter((line) => line.includes(GRAPHQL));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ route: "/graphql", span_id: request?.spanId });
  });

  test("requests that share a query are linked to it", () => {
    const requests = seen.filter(({ name }) => name === "GET /agent/whoami").map(({ spanId }) => spanId);
    const batches = seen.filter(({ name }) => name === "batch of keys");
    const served = new Set(batches.flatMap(({ parentId, links }) => [parentId, ...links]));
    expect(requests).toHaveLength(SHARED.length);
    for (const request of requests) expect(served).toContain(request);
  });

  test("the metrics of the scrape are sent as well", () => {
    const metrics = new Map(collector.metrics().map((metric) => [metric.name, metric]));
    const requests = metrics.get("gateway_http_requests_total");
    expect(requests?.kind).toBe("sum");
    const whoami = ["rest", "/agent/whoami", "GET", "200", "ok"];
    expect(requests?.points.find(({ labels }) => labels.join() === whoami.join())?.value).toBe(SHARED.length);
    const durations = metrics.get("gateway_http_request_duration_seconds");
    expect(durations?.kind).toBe("histogram");
    const slow = durations?.points.find(({ labels }) => labels.join() === whoami.slice(0, 3).join());
    expect(slow?.value).toBe(SHARED.length);
    expect(slow?.buckets.reduce((sum, count) => sum + count, 0)).toBe(SHARED.length);
    expect(metrics.get("gateway_build_info")).toMatchObject({ kind: "gauge", points: [{ value: 1 }] });
  });

  test("each line of the log is sent as well, as part of its trace", () => {
    const lines = log.split("\n").filter(Boolean);
    const logged = lines.map((line) => JSON.parse(line).msg).filter((text) => text !== "stopped");
    const records = collector.records();
    expect(records.map(({ text }) => text).sort()).toEqual(logged.sort());
    expect(records.filter(({ traceId }) => traceId === GRAPHQL)).toMatchObject([{ severity: 9 }]);
  });

  test.each(["traces", "metrics", "logs"] as const)(
    "the %s name the service and the instance as in OTEL_RESOURCE_ATTRIBUTES",
    (signal) => {
      const named = { "service.name": "shop", "service.instance.id": "pod-1" };
      expect(collector.resource(signal)).toMatchObject({ ...named, "service.version": expect.any(String) });
    },
  );

  test("nothing secret is sent: no key, session, password, variable, body, query string or address", () => {
    const text = collector.text();
    expect(text).toContain("POST /messages");
    expect(secrets.filter((secret) => secret.length > 10)).toHaveLength(5);
    expect(secrets[2]).toMatch(/^ags_/);
    for (const leak of [...secrets, "Bearer", "of mine", "of-mine", "127.0.0.1"]) {
      expect(text).not.toContain(leak);
    }
  });
});
