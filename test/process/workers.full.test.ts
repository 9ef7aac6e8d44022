import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { onAnyEngine, sqlite, type TestDatabase } from "../support/engines";
import { parseMetrics } from "../support/metrics";
import {
  databaseForEach,
  endProcesses,
  runServer,
  secretsIn,
  startServer,
  type TestServer,
} from "../support/process";
import { waitUntil } from "../support/wait-until";
import { connectionTo, get, isAlive, logOf, workersIn } from "../support/workers";

const LIMIT = 60;

onAnyEngine((engine) => {
  /** Starts a POST, whose head arrives at a worker before its body is sent. */
  async function beginPost(
    server: TestServer,
    worker: number,
    path: string,
    key = "",
  ): Promise<ClientRequest> {
    const agent = await connectionTo(server, worker);
    const authorization = key && { authorization: `Bearer ${key}` };
    const headers = { ...authorization, "content-type": "application/json", expect: "100-continue" };
    const post = request(`${server.url}${path}`, { method: "POST", agent, headers });
    post.flushHeaders();
    await once(post, "continue");
    return post;
  }
  async function finish(post: ClientRequest, body: object): Promise<number | undefined> {
    post.end(JSON.stringify(body));
    const [response] = (await once(post, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  }

  describe("a service of two workers", () => {
    let database: TestDatabase;
    let server: TestServer;
    beforeAll(async () => {
      database = await engine.createMigratedDatabase();
      server = await startServer({
        DATABASE_URL: database.url,
        WORKERS: "2",
        RATE_LIMIT_PER_MINUTE: String(LIMIT),
      });
    });
    afterAll(async () => {
      await endProcesses();
      await database?.drop();
    });

    const scrape = async () => parseMetrics((await get(server, "/metrics")).body);
    const total = async (name: string, labels: Record<string, string> = {}) =>
      (await scrape())
        .filter((sample) => sample.name === name)
        .filter(({ labels: own }) => Object.entries(labels).every(([label, value]) => own[label] === value))
        .reduce((sum, { value }) => sum + value, 0);

    /** Counts the log lines with a message. */
    const said = (text: string) => logOf(server).filter(({ msg }) => msg === text).length;

    test("prints the secrets and its address once, when both listen", async () => {
      expect(server.stdout().match(/API key/g)).toHaveLength(1);
      expect(server.stdout().match(/^GraphQL/gm)).toHaveLength(1);
      expect(secretsIn(server.stdout())).toBeDefined();
      expect(new Set(workersIn(server).map(({ number }) => number))).toEqual(new Set([1, 2]));
    });

    test("answers on both, which its metrics sum up and its log distinguishes", async () => {
      const route = { route: "/agent/whoami" };
      const before = await total("gateway_http_requests_total", route);
      const agents = await Promise.all([connectionTo(server, 1), connectionTo(server, 2)]);
      for (let i = 0; i < 5; i++)
        for (const agent of agents) expect((await get(server, "/agent/whoami", {}, agent)).status).toBe(401);
      expect(await total("gateway_http_requests_total", route)).toBe(before + 10);
      expect(await total("gateway_http_request_duration_seconds_count", route)).toBe(before + 10);
      expect(await total("gateway_build_info")).toBe(1);
      expect(await total("gateway_workers")).toBe(2);
      const busy = (await scrape()).filter(({ name }) => name === "gateway_event_loop_busy_seconds_total");
      expect(busy.map(({ labels }) => labels.worker).sort()).toEqual(["1", "2"]);
      for (const agent of agents) agent.destroy();
    });

    test("limits a key's requests across all connections", async () => {
      const authorization = `Bearer ${secretsIn(server.stdout())?.key}`;
      const agents = await Promise.all([connectionTo(server, 1), connectionTo(server, 2)]);
      const statuses: (number | undefined)[] = [];
      for (let i = 0; i < LIMIT; i++)
        for (const agent of agents)
          statuses.push((await get(server, "/agent/whoami", { authorization }, agent)).status);
      const accepted = statuses.filter((status) => status === 200).length;
      expect(accepted).toBeGreaterThanOrEqual(LIMIT);
      expect(accepted).toBeLessThan(LIMIT * 1.5);
      expect(statuses.slice(-2)).toEqual([429, 429]);
      for (const agent of agents) agent.destroy();
    });

    test("shows the earlier metrics of a hanging worker", async () => {
      const agent = await connectionTo(server, 1);
      await get(server, "/agent/whoami", {}, agent);
      await total("gateway_http_requests_total");
      const hanging = workersIn(server).findLast(({ number }) => number === 2)?.pid ?? 0;
      process.kill(hanging, "SIGSTOP");
      try {
        const { status, body } = await get(server, "/metrics", {}, agent);
        expect(status).toBe(200);
        const busy = parseMetrics(body).filter(
          ({ name }) => name === "gateway_event_loop_busy_seconds_total",
        );
        expect(busy.map(({ labels }) => labels.worker).sort()).toEqual(["1", "2"]);
      } finally {
        process.kill(hanging, "SIGCONT");
        agent.destroy();
      }
    });

    test("replaces a killed worker, and keeps serving", async () => {
      const died = said("a worker died");
      const deaths = await total("gateway_worker_deaths_total");
      const requests = await total("gateway_http_requests_total");
      const victim = workersIn(server).findLast(({ number }) => number === 2);
      // A connection that is passed to the hanging worker is closed when the worker dies.
      process.kill(victim?.pid ?? 0, "SIGSTOP");
      const handed = Array.from({ length: 4 }, () => get(server, "/healthz"));
      await Promise.race(handed);
      process.kill(victim?.pid ?? 0, "SIGKILL");
      const outcomes = await Promise.allSettled(handed);
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
      await waitUntil(() => said("a worker died") > died);
      expect(logOf(server).findLast(({ msg }) => msg === "a worker died")).toMatchObject({
        worker: 2,
        code: null,
        signal: "SIGKILL",
      });
      for (let i = 0; i < 20; i++) expect((await get(server, "/healthz")).status).toBe(200);
      await waitUntil(async () => (await total("gateway_workers")) === 2);
      (await connectionTo(server, 2)).destroy();
      expect(await total("gateway_worker_deaths_total")).toBe(deaths + 1);
      expect(await total("gateway_http_requests_total")).toBeGreaterThan(requests + 20);
    });

    test("replaces its workers on SIGHUP without failing a request", async () => {
      const old = new Set(workersIn(server).map(({ pid }) => pid));
      let isDone = false;
      let answered = 0;
      const client = async (ask: () => Promise<{ status?: number | undefined }>) => {
        while (!isDone) {
          expect((await ask()).status).toBe(200);
          answered++;
        }
      };
      /** Unlike `get`, keeps connections alive and does not notice at once that one was closed. */
      const fetchReady = async () => {
        const response = await fetch(`${server.url}/readyz`);
        await response.text();
        return response;
      };
      const getReady = () => get(server, "/readyz");
      const clients = Promise.all([getReady, fetchReady, fetchReady].map(client));
      server.signal("SIGHUP");
      await Promise.race([server.until("stderr", "the workers have been restarted"), clients]);
      isDone = true;
      await clients;
      expect(answered).toBeGreaterThan(20);
      expect([...old].filter(isAlive)).toEqual([]);
      for (const worker of [1, 2]) (await connectionTo(server, worker)).destroy();
    });

    test("replaces a new worker that dies while its predecessor still answers a request", async () => {
      const post = await beginPost(server, 1, "/graphql");
      const pids = () => workersIn(server).flatMap(({ number, pid }) => (number === 1 ? pid : []));
      const before = pids().length;
      const deaths = said("a worker died");
      const restarts = said("the workers have been restarted");
      server.signal("SIGHUP");
      // The old worker counts until it ends, and stops once the supervisor knows that the new one listens.
      await waitUntil(async () => pids().length > before && (await total("gateway_workers")) === 3);
      process.kill(pids()[before] as number, "SIGKILL");
      await waitUntil(() => said("a worker died") > deaths);
      expect(await finish(post, { query: "{ __typename }" })).toBe(200);
      await waitUntil(() => said("the workers have been restarted") > restarts);
      expect(pids()).toHaveLength(before + 2);
      (await connectionTo(server, 1)).destroy();
    });

    test("stops gracefully when its supervisor is killed", async () => {
      const before = server.stderr().length;
      server.signal("SIGKILL");
      // Ends after the last worker has closed its outputs.
      const stderr = (await server.ended).stderr.slice(before);
      expect(stderr.match(/the supervisor exited/g)).toHaveLength(2);
      expect(stderr).not.toContain('"level":50');
    });
  });

  describe("two workers", () => {
    const database = databaseForEach(engine);

    test("are not ready on SIGTERM, keep serving while they drain, answer all accepted requests, and exit with code 0", async () => {
      const server = await startServer({ DATABASE_URL: database.url, WORKERS: "2", DRAIN_SECONDS: "1" });
      const key = secretsIn(server.stdout())?.key;
      const probes = await Promise.all([connectionTo(server, 1), connectionTo(server, 2)]);
      const posts = await Promise.all([1, 2].map((worker) => beginPost(server, worker, "/v1/pets", key)));
      server.signal("SIGTERM");
      server.signal("SIGINT");
      await server.until("stderr", '"draining"');
      for (const agent of probes) {
        await waitUntil(async () => (await get(server, "/readyz", {}, agent)).status === 503);
        expect((await get(server, "/healthz", {}, agent)).status).toBe(200);
      }
      await server.until("stderr", '"stopping"');
      const pet = { name: "Rex", categoryId: 1 };
      expect(await Promise.all(posts.map((post) => finish(post, pet)))).toEqual([201, 201]);
      const { code, stderr } = await server.ended;
      expect(code).toBe(0);
      expect(stderr.match(/"stopped"/g)).toHaveLength(1);
      expect(stderr).not.toContain('"level":50');
    });
  });
});

describe("on SQLite", () => {
  const database = databaseForEach(sqlite);

  test("workers that cannot listen end the service with one line and code 1", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    try {
      await once(taken, "listening");
      const { port } = taken.address() as AddressInfo;
      const { code, stdout, stderr } = await runServer({
        DATABASE_URL: database.url,
        WORKERS: "2",
        PORT: String(port),
      });
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: "",
        stderr: `gateway: port ${port} is in use: set PORT to another port\n`,
      });
    } finally {
      taken.close();
    }
  });
});
