import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { Agent } from "../../src/features/agents/agent.entity";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { Member } from "../../src/features/members/member.entity";
import { Organization } from "../../src/features/organizations/organization.entity";
import { onEachEngine, postgres, sqlite } from "../support/engines";
import { lockWaits } from "../support/lock-waits";
import {
  databaseForEach,
  endProcesses,
  runServer,
  secretsIn,
  spawnServer,
  startServer,
} from "../support/process";
import { waitUntil } from "../support/wait-until";
import { workersIn } from "../support/workers";

const whoami = (url: string, key: string) =>
  fetch(`${url}/agent/whoami`, { headers: { authorization: `Bearer ${key}` } });

onEachEngine((engine) => {
  const testDatabase = databaseForEach(engine, { empty: true });

  test("if servers start concurrently on an empty database, one creates the first rows and prints the secrets, both serve, and there is one instance key", async () => {
    const servers = await Promise.all([1, 2].map(() => startServer({ DATABASE_URL: testDatabase.url })));
    const printed = servers.flatMap((server) => secretsIn(server.stdout()) ?? []);
    expect(printed).toHaveLength(1);
    for (const { url } of servers) expect((await whoami(url, printed[0]?.key ?? "")).status).toBe(200);
    const ends = await Promise.all(servers.map((server) => server.stop()));
    expect(ends.map(({ code }) => code)).toEqual(servers.map(() => 0));
    if (engine.name === "SQLite") {
      const names = await readdir(dirname(testDatabase.url.slice("sqlite:".length)));
      expect(names.filter((name) => /key|unfinished/.test(name))).toEqual(["gateway.sqlite.key"]);
    }

    const database = await Database.open(createDataSource(testDatabase.url));
    try {
      const first = [Organization, Agent, Member, ApiKey];
      const counts = first.map((entity) => database.read((reader) => reader.count(entity)));
      expect(await Promise.all(counts)).toEqual(first.map(() => 1));
    } finally {
      await database.close();
    }
  });
});

describe("on PostgreSQL", () => {
  const testDatabase = databaseForEach(postgres, { empty: true });

  test("the first of several workers migrates the database before the others start", async () => {
    const database = await Database.open(createDataSource(testDatabase.url));
    try {
      const server = await database.withMigrationLock(async (tx) => {
        const starting = spawnServer({ DATABASE_URL: testDatabase.url, WORKERS: "2" });
        await waitUntil(async () => {
          // PostgreSQL would end a transaction without statements, and release its lock.
          await tx.query("SELECT 1");
          return (await lockWaits({ services: { database } })) > 0;
        });
        const children = `/proc/${starting.pid}/task/${starting.pid}/children`;
        if (existsSync(children)) expect(readFileSync(children, "utf8")).toMatch(/^\d+ ?$/);
        return starting;
      });
      await server.until("stdout", "/graphql\n");
      await waitUntil(() => workersIn(server).length === 2);
      expect(workersIn(server).map(({ number }) => number)).toEqual([1, 2]);
    } finally {
      await database.close();
    }
  });
});

describe("a start that cannot succeed exits with code 1 and one line", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
  });
  afterEach(async () => {
    await endProcesses();
    await rm(directory, { recursive: true, force: true });
  });

  /** @returns the line, after checking that it is the only one */
  async function lineOf(env: Record<string, string>): Promise<string> {
    const { code, stderr, stdout } = await runServer({
      DATABASE_URL: `sqlite:${join(directory, "gateway.sqlite")}`,
      ...env,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^gateway: .+\n$/);
    return stderr;
  }

  test("that names certificate files that are missing or invalid", async () => {
    const file = join(directory, "no.pem");
    const files = { TLS_CERT_FILE: file, TLS_KEY_FILE: file };
    const missing = await lineOf(files);
    expect(missing).toContain("TLS_CERT_FILE");
    expect(missing).toContain(file);
    await writeFile(file, "no certificate");
    expect(await lineOf(files)).toContain("TLS_CERT_FILE");
  });

  test("that names the database file that cannot be used", async () => {
    const garbage = join(directory, "garbage");
    const folder = join(directory, "folder");
    await writeFile(garbage, "not a database ".repeat(1000));
    await mkdir(folder);
    expect(await lineOf({ DATABASE_URL: `sqlite:${garbage}` })).toContain(`sqlite:${garbage}`);
    for (const file of [folder, join(garbage, "below", "gateway.sqlite")]) {
      const opening = Database.open(createDataSource(`sqlite:${file}`));
      await expect(opening).rejects.toThrow(`sqlite:${file}`);
    }
  });

  test("that names the PostgreSQL server that rejects the sign-in, without the password", async () => {
    const url = new URL(`${process.env.TEST_POSTGRES_URL}/no_such_database`);
    const { host } = url;
    url.password = "hunter2";
    const line = await lineOf({ DATABASE_URL: url.href });
    expect(line).toContain(`postgres://${host}/no_such_database`);
    expect(line).not.toContain("hunter2");
  });

  test("that names the port that is in use, and the next start still shows the first secrets", async () => {
    const testDatabase = await sqlite.createDatabase();
    const taken = createServer().listen(0, "127.0.0.1");
    try {
      await once(taken, "listening");
      const { port } = taken.address() as AddressInfo;
      const line = await lineOf({ DATABASE_URL: testDatabase.url, PORT: String(port), LOG_LEVEL: "silent" });
      expect(line).toContain(`port ${port} is in use: set PORT`);
      const server = await startServer({ DATABASE_URL: testDatabase.url });
      expect(secretsIn(server.stdout())).toBeDefined();
      await server.stop();
    } finally {
      taken.close();
      await testDatabase.drop();
    }
  });
});
