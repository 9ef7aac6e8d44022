import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { startCollector } from "../support/collector";
import { sqlite } from "../support/engines";
import { endProcesses, runServer, startServer } from "../support/process";
import { start } from "./traced-server";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const traceparent = `00-${TRACE}-${PARENT}-01`;

describe("tracing", () => {
  afterEach(endProcesses);

  test("records nothing without an endpoint", async () => {
    const gateway = await start(sqlite, {});
    await gateway.rest("GET", "/v1/pets", { headers: { traceparent } });
    expect(gateway.log()).not.toContain("trace_id");
    await gateway.close();
  });

  test("starts no traces outside of requests, such as for a start or stop", async () => {
    const collector = await startCollector();
    const gateway = await start(sqlite, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await gateway.close();
    expect(collector.spans()).toEqual([]);
    await collector.close();
  });

  test("does not send a request that its caller does not sample", async () => {
    const collector = await startCollector();
    const gateway = await start(sqlite, { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` });
    await gateway.rest("GET", "/v1/pets", { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
    await gateway.rest("GET", "/agent/whoami");
    await gateway.close();
    expect(collector.spans().map(({ traceId }) => traceId)).not.toContain(TRACE);
    expect(collector.spans().map(({ name }) => name)).toContain("GET /agent/whoami");
    await collector.close();
  });

  test("is not forced by a caller that samples its own request", async () => {
    const collector = await startCollector();
    const gateway = await start(sqlite, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: "parentbased_always_off",
    });
    await gateway.rest("GET", "/v1/pets", { headers: { traceparent } });
    await gateway.close();
    expect(collector.spans()).toEqual([]);
    await collector.close();
  });

  test("without a reachable collector is reported in the log and does not disturb requests", async () => {
    const collector = await startCollector();
    await collector.close();
    const gateway = await start(sqlite, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: "300",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    });
    expect((await gateway.rest("GET", "/v1/pets")).status).toBe(200);
    await gateway.logged("could not send traces");
    expect((await gateway.rest("GET", "/v1/pets")).status).toBe(200);
    await gateway.close();
  });

  test("sends the metrics of several workers as those of one service, and the log of each process", async () => {
    const collector = await startCollector();
    const gateway = await start(sqlite, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WORKERS: "2" });
    for (let call = 0; call < 10; call++) await gateway.rest("GET", "/agent/whoami");
    await gateway.close();
    const metrics = collector.metrics();
    const requests = metrics.filter(({ name }) => name === "gateway_http_requests_total");
    const calls = requests.map(({ points }) => points.find(({ labels }) => labels.includes("/agent/whoami")));
    expect(calls).toMatchObject([{ value: 10 }]);
    expect(metrics.find(({ name }) => name === "gateway_workers")?.points).toHaveLength(1);
    expect(collector.records().filter(({ text }) => text === "stopping")).toHaveLength(1);
    expect(collector.records().filter(({ text }) => text === "request")).toHaveLength(10);
    await collector.close();
  });

  test("sends only the signals that are set", async () => {
    const collector = await startCollector();
    const gateway = await start(sqlite, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: "none",
      OTEL_TRACES_EXPORTER: "none",
    });
    await gateway.rest("GET", "/v1/pets");
    await gateway.close();
    expect(collector.spans()).toEqual([]);
    expect(collector.metrics()).toEqual([]);
    expect(collector.records().map(({ text }) => text)).toContain("request");
    await collector.close();
  });

  test("with a collector that never responds does not delay a stop", async () => {
    const silent = createServer();
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const database = await sqlite.createMigratedDatabase();
    const server = await startServer({
      DATABASE_URL: database.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    await fetch(`${server.url}/v1/pets`);
    const { code, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stderr).toContain("did not accept the last telemetry in time");
    silent.close();
    await database.drop();
  });

  test("with wrong settings ends the start with one line", async () => {
    for (const [name, value] of [
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
      ["OTEL_TRACES_SAMPLER", "sometimes"],
      ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ] as const) {
      const { code, stderr } = await runServer({ [name]: value });
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`^gateway: ${name} [^\\n]+\\n$`));
    }
  });
});
