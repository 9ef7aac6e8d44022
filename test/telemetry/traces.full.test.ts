import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { startCollector } from "../support/collector";
import { sqlite } from "../support/engines";
import { endProcesses, startServer } from "../support/process";
import { start } from "./traced-server";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

describe("tracing", () => {
  afterEach(endProcesses);

  test("sends neither a request that its caller does not sample, nor anything outside of requests, such as a start", async () => {
    const collector = await startCollector();
    const gateway = await start(sqlite, { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` });
    await gateway.rest("GET", "/v1/pets", { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
    await gateway.rest("GET", "/agent/whoami");
    await gateway.close();
    const traces = new Set(collector.spans().map(({ traceId }) => traceId));
    expect(collector.spans().map(({ name }) => name)).toContain("GET /agent/whoami");
    expect([...traces]).toEqual([expect.not.stringMatching(TRACE)]);
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

  test("sends the metrics of several workers as metrics of one service, and the log of each process", async () => {
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

  test.each([
    ["gateway", {}],
    ["store", { OTEL_SERVICE_NAME: "store", OTEL_RESOURCE_ATTRIBUTES: "service.name=shop" }],
  ])("names the service %s with %j", async (name, env) => {
    const collector = await startCollector();
    const gateway = await start(sqlite, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
    await gateway.close();
    const named = { "service.name": name, "service.instance.id": expect.stringMatching(/./) };
    expect(collector.resource("logs")).toMatchObject(named);
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
});
