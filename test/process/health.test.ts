import { onOneEngine } from "../support/engines";
import { startGateway } from "../support/gateway";
import { databaseForEach, startServer } from "../support/process";
import { slowTest } from "../support/slow-test";

onOneEngine((engine) => {
  const testDatabase = databaseForEach(engine);

  slowTest("both allow only GET and HEAD, without a key, and must not be stored", async () => {
    const gateway = await startGateway(engine, { database: testDatabase });
    try {
      for (const path of ["/healthz", "/readyz"]) {
        const got = await gateway.rest("GET", path, { token: null });
        expect(got).toMatchObject({ status: 200, body: expect.objectContaining({ status: "ok" }) });
        expect(got.headers.get("cache-control")).toBe("no-store");
        expect(await gateway.rest("HEAD", path, { token: null })).toMatchObject({ status: 200, text: "" });
        const rejected = await gateway.rest("POST", path, { token: null });
        expect([rejected.status, rejected.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      }
    } finally {
      await gateway.close();
    }
  });

  slowTest(
    "while the database does not answer, the process is alive but not ready, and says so before a client gives up",
    async () => {
      const gateway = await startGateway(engine, { database: testDatabase });
      const { database } = gateway.services;
      let letGo = () => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const read = database.read.bind(database);
      // Simulates a database that has accepted the query but does not respond.
      database.read = (query) => held.then(() => read(query));
      try {
        const ready = () =>
          gateway.rest("GET", "/readyz", { token: null, headers: {} }).then(({ status }) => status);
        expect(await Promise.all([ready(), ready(), ready()])).toEqual([503, 503, 503]);
        const { status, body, headers } = await gateway.rest("GET", "/readyz", { token: null });
        expect({ status, body }).toEqual({
          status: 503,
          body: { code: "unavailable", message: "The database did not respond in time.", status: 503 },
        });
        expect(headers.get("retry-after")).toBe("1");
        expect((await gateway.rest("GET", "/healthz", { token: null })).status).toBe(200);
        letGo();
        await held;
        expect(await ready()).toBe(200);
      } finally {
        letGo();
        await gateway.close();
      }
    },
  );

  slowTest(
    "on SIGTERM, it is not ready but keeps serving while it drains, for two seconds outside development",
    async () => {
      const server = await startServer({ DATABASE_URL: testDatabase.url, ENVIRONMENT: "staging" });
      server.signal("SIGTERM");
      await server.until("stderr", '"draining"');
      const ready = await fetch(`${server.url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([
        503,
        { code: "unavailable", message: "The service is stopping.", status: 503 },
      ]);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect((await fetch(`${server.url}/agent/whoami`)).status).toBe(401);
      const { code, stderr } = await server.ended;
      expect(code).toBe(0);
      expect(stderr).toContain('"stopped"');
      expect(stderr).not.toContain('"level":50');
    },
  );
});
