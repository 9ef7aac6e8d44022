import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { onEachEngine, postgres, sqlite, type TestDatabase } from "../support/engines";
import { lockWaits } from "../support/lock-waits";
import {
  databaseForEach,
  endProcesses,
  secretsIn,
  spawnServer,
  startServer,
  type TestServer,
} from "../support/process";
import { waitUntil } from "../support/wait-until";
import { petNames, startLoad } from "./load";

onEachEngine((engine) => {
  const database = databaseForEach(engine);

  test("on SIGTERM under load, it answers all earlier requests, keeps every answered write, and exits with code 0", async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: "info" });
    const load = startLoad(server);
    await load.answered(300);
    load.tell();
    server.signal("SIGTERM");
    const [writes, { code, stderr }] = await Promise.all([load.ended(), server.ended]);
    expect(code).toBe(0);
    expect(stderr).toContain('"stopped"');
    // A stop does not cause error codes.
    expect(writes.filter(({ status }) => status !== undefined && ![200, 201].includes(status))).toEqual([]);
    expect(writes.filter(({ sentBefore, status }) => sentBefore && status === undefined)).toEqual([]);
    const kept = await petNames(database.url);
    expect(new Set(kept).size).toBe(kept.length);
    const answered = writes.filter(({ status }) => status !== undefined).map(({ name }) => name);
    expect(answered.filter((name) => !kept.includes(name))).toEqual([]);
  });
});

describe("stopped by a signal while a client", () => {
  let database: TestDatabase;
  let server: TestServer;
  let client: Socket;
  beforeEach(async () => {
    database = await sqlite.createMigratedDatabase();
    server = await startServer({ DATABASE_URL: database.url });
    client = connect(Number(new URL(server.url).port), "127.0.0.1").on("error", () => undefined);
    await once(client, "connect");
  });
  afterEach(async () => {
    client.destroy();
    await endProcesses();
    await database.drop();
  });

  const head = () =>
    `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secretsIn(server.stdout())?.key}\r\n` +
    "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 27\r\n\r\n";
  const beginBody = async () => {
    client.write(head());
    const [answer] = await once(client, "data");
    expect(String(answer)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    client.write('{"name":"x",');
  };

  test("has sent no request yet, and another is still sending the head of one, it does not wait and exits with code 0", async () => {
    const other = connect(Number(new URL(server.url).port), "127.0.0.1").on("error", () => undefined);
    other.write("GET /healthz HTTP/1.1\r\nHo");
    // Sent after the bytes, so the server has read them.
    await fetch(`${server.url}/healthz`);
    const { code, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stderr).toContain('"stopped"');
    expect(stderr).not.toContain("given up");
  });

  test("does not finish its body, it abandons the request after some seconds, says so and exits with code 0", async () => {
    await beginBody();
    const { code, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stderr).toContain('"requests":1');
    expect(stderr).toContain('"stopped"');
  });

  test("does not finish its body, a second signal ends it immediately with code 1", async () => {
    await beginBody();
    server.signal("SIGTERM");
    await server.until("stderr", '"stopping"');
    const signals = setInterval(() => server.signal("SIGTERM"), 100);
    const { code, stderr } = await server.ended;
    clearInterval(signals);
    expect(code).toBe(1);
    expect(stderr).toContain('"stopping immediately"');
    expect(stderr).not.toContain("given up");
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "finishes the head or body that it was sending, a repeated %s, as forwarded by npm, counts as one signal",
    async (signal) => {
      const other = connect(Number(new URL(server.url).port), "127.0.0.1");
      other.write("GET /healthz HTTP/1.1\r\nHo");
      await fetch(`${server.url}/healthz`);
      await beginBody();
      server.signal(signal);
      server.signal(signal);
      await server.until("stderr", '"stopping"');
      server.signal(signal);
      other.write("st: a\r\n\r\n");
      const answer = await text(other);
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
      expect(answer).toMatch(/^connection: close\r$/im);
      client.write('"categoryId":1}');
      expect(await text(client)).toMatch(/^HTTP\/1.1 201 /);
      const { code, stderr } = await server.ended;
      expect(code).toBe(0);
      expect(stderr).toContain('"stopped"');
    },
  );
});

test("on a signal during its start, it finishes starting, shows the secrets that are shown once, and then stops", async () => {
  const database = await sqlite.createDatabase();
  try {
    const server = spawnServer({ DATABASE_URL: database.url });
    await server.until("stderr", "Server listening");
    server.signal("SIGTERM");
    const { code, stdout } = await server.ended;
    expect(code).toBe(0);
    expect(secretsIn(stdout)).toBeDefined();
  } finally {
    await endProcesses();
    await database.drop();
  }
});

describe("on PostgreSQL", () => {
  const testDatabase = databaseForEach(postgres, { empty: true });

  test("on a signal while another process migrates the database, it drains, abandons its start, and exits with code 1", async () => {
    const database = await Database.open(createDataSource(testDatabase.url));
    try {
      await database.withMigrationLock(async (tx) => {
        // PostgreSQL would end a transaction without statements, and release its lock.
        const holdUntil = (condition: () => boolean | Promise<boolean>) =>
          waitUntil(async () => {
            await tx.query("SELECT 1");
            return condition();
          });
        const server = spawnServer({ DATABASE_URL: testDatabase.url, DRAIN_SECONDS: "1" });
        await holdUntil(async () => (await lockWaits({ services: { database } })) > 0);
        server.signal("SIGTERM");
        let hasEnded = false;
        void server.ended.then(() => {
          hasEnded = true;
        });
        await holdUntil(() => hasEnded);
        const { code, stderr } = await server.ended;
        expect(code).toBe(1);
        expect(stderr).toContain('"shutdown took too long"');
      });
    } finally {
      await database.close();
    }
  });
});
