import { type AddressInfo, connect, createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { PET_ORDER, Pet } from "../../src/features/pets/pet.entity";
import { closedAfterEach } from "../support/closing";
import { administer, postgres } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { withResolver } from "../support/wait-until";

describe("a PostgreSQL server that goes away", () => {
  const keep = closedAfterEach();
  let gateway: TestGateway;
  let name: string;
  beforeEach(async () => {
    gateway = await startGateway(postgres);
    name = new URL(gateway.databaseUrl).pathname.slice(1);
  });
  afterEach(() => gateway.close());

  const list = () => gateway.rest("GET", "/v1/pets");
  const add = () => gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  const endConnections = () =>
    administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);

  test("is reconnected without a restart after it has closed every connection", async () => {
    await Promise.all(Array.from({ length: 12 }, list));
    await endConnections();
    // A request may still get a dead connection, but no response is internal_error.
    const replies = await Promise.all(Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? list() : add())));
    for (const { status } of replies) expect([200, 201, 503]).toContain(status);
    expect((await list()).status).toBe(200);
    expect((await add()).status).toBe(201);
    expect((await gateway.rest("GET", "/readyz")).status).toBe(200);
  });

  slowTest("fails the running unit as unavailable, and leaves nothing of it", async () => {
    const { database } = gateway.services;
    const unit = database.write(async (tx) => {
      await tx.insert(Pet, { name: "Rex", categoryId: "1", status: null });
      await endConnections();
      await tx.insert(Pet, { name: "Tom", categoryId: "1", status: null });
    });
    await expect(unit).rejects.toMatchObject({ code: "unavailable" });
    expect((await list()).body).toEqual([]);
  });

  slowTest("fails a unit that continues after its connection has ended as unavailable", async () => {
    const { database } = gateway.services;
    const unit = database.write(async (tx) => {
      await tx.insert(Pet, { name: "Rex", categoryId: "1", status: null });
      await endConnections();
      while (!tx.queryRunner?.isReleased) await tx.query("SELECT 1").catch(() => undefined);
      await tx.query("SELECT 1");
    });
    await expect(unit).rejects.toMatchObject({ code: "unavailable" });
    expect((await list()).body).toEqual([]);
  });

  slowTest("fails a unit whose connection ended before the commit", async () => {
    const { database } = gateway.services;
    const unit = database.write(async (tx) => {
      await tx.insert(Pet, { name: "Rex", categoryId: "1", status: null });
      await endConnections();
    });
    await expect(unit).rejects.toMatchObject({ code: "unavailable" });
    expect((await list()).body).toEqual([]);
  });

  slowTest(
    "keeps the short statements of repeated units and reads prepared, and the limits of a unit",
    async () => {
      const database = await keep(Database.open(createDataSource(gateway.databaseUrl, 1)));
      const prepared =
        "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'gateway\\_%' ORDER BY 1";
      const limits = { call: 10_000, statement: 1_234 };
      for (let i = 0; i < 2; i++) {
        await database.write((tx) => tx.query("SELECT $1::int AS once", [i]));
        await database.read((reader) => reader.query("SELECT $1::int AS found", [i]), { isRepeated: true });
        const set = await database.write(
          async (tx) => {
            await tx.query("SELECT $1::int AS written", [i]);
            const many = Array.from({ length: 65 }, (_, at) => `$${at + 1}::int`);
            await tx.query(
              `SELECT ${many}`,
              many.map((_, at) => at),
            );
            return tx.query("SHOW statement_timeout");
          },
          { limits, isRepeated: true },
        );
        expect(set).toEqual([{ statement_timeout: "1234ms" }]);
      }
      expect(await database.write((tx) => tx.query(prepared))).toEqual([
        { statement: "SELECT $1::int AS found" },
        { statement: "SELECT $1::int AS written" },
      ]);
    },
  );

  slowTest(
    "reports why an insert's lock failed, not that its insert was skipped, and keeps nothing",
    async () => {
      const { database } = gateway.services;
      let release = () => {};
      const { promise: isLocked, resolve: locked } = withResolver();
      const holding = database.write(async (tx) => {
        await tx.lockInsertOrder(PET_ORDER);
        await new Promise<void>((resolve) => {
          release = resolve;
          locked();
        });
      });
      await isLocked;
      const rejected = add();
      const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE datname = '${name}' AND wait_event = 'advisory' AND query LIKE '%pg_advisory_xact_lock%'`;
      const cancelled = () => database.read((reader) => reader.query(cancel));
      while ((await cancelled()).length === 0) await nextTurn();
      expect(await rejected).toMatchObject({ status: 503, body: { code: "unavailable" } });
      release();
      await holding;
      expect((await list()).body).toEqual([]);
      expect((await add()).status).toBe(201);
    },
  );

  slowTest(
    "makes both APIs answer 503 while it accepts no connections, and the process stays alive",
    async () => {
      await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await endConnections();
      await list();
      const rest = await list();
      expect(rest.status).toBe(503);
      expect(rest.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(rest.body).toEqual({ code: "unavailable", message: expect.any(String), status: 503 });
      const graphql = await gateway.graphql("{ pets { totalCount: __typename } }");
      expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([503, "unavailable"]);
      expect(graphql.headers.get("retry-after")).toMatch(/^\d+$/);
      expect((await gateway.rest("GET", "/readyz")).status).toBe(503);
      expect((await gateway.rest("GET", "/healthz")).status).toBe(200);
      await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      expect((await list()).status).toBe(200);
    },
  );
});

describe("a connection on which one statement fails", () => {
  const keep = closedAfterEach();
  /** Returns a proxy to the server that corrupts one statement, identified by its start. */
  async function rejecting(to: URL) {
    let start: string | undefined;
    const server = createServer((socket) => {
      const upstream = connect(Number(to.port), to.hostname);
      upstream.pipe(socket);
      socket.on("data", (data) => {
        const at = start === undefined ? -1 : data.indexOf(start);
        if (at >= 0) {
          data.write("X", at);
          start = undefined;
        }
        upstream.write(data);
      });
      for (const each of [socket, upstream]) each.on("error", () => undefined);
      socket.on("close", () => upstream.destroy());
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = new URL(to);
    url.hostname = "127.0.0.1";
    url.port = String((server.address() as AddressInfo).port);
    const reject = (statement: string) => {
      start = statement;
    };
    return { url: url.href, reject, close: () => server.close() };
  }

  test.each(["BEGIN ISOLATION", "COMMIT"])(
    "keeps no pet and no open transaction when that is %s",
    async (statement) => {
      const testDatabase = await keep(postgres.createMigratedDatabase());
      const way = await keep(rejecting(new URL(testDatabase.url)));
      const database = await keep(Database.open(createDataSource(way.url, 1)));
      const names = async () => (await database.read((reader) => reader.find(Pet))).map((pet) => pet.name);
      const add = database.batchInserts<string, string>(
        async (tx, [name]) => {
          await tx.lockInsertOrder(PET_ORDER);
          await tx.query(" insert into pet (name, category_id) values ($1, 1)", [name]);
          return [name as string];
        },
        { singleStatement: true },
      );
      way.reject(statement);
      await expect(add("rejected")).rejects.toThrow("syntax error");
      expect(await names()).toEqual([]);
      await add("kept");
      expect(await names()).toEqual(["kept"]);
    },
  );
});

describe("a PostgreSQL server with its own setup", () => {
  slowTest(
    "with serializable transactions lets two processes migrate and run units concurrently",
    async () => {
      const testDatabase = await postgres.createDatabase();
      const name = new URL(testDatabase.url).pathname.slice(1);
      await administer(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
      const open = async () => {
        const database = await Database.open(createDataSource(testDatabase.url));
        await database.migrate();
        return database;
      };
      const [one, other] = await Promise.all([open(), open()]);
      const levels = await Promise.all(
        [one, other].map((database) => database.write((tx) => tx.query("SHOW transaction_isolation"))),
      );
      expect(levels.flat()).toEqual(Array(2).fill({ transaction_isolation: "read committed" }));
      await Promise.all([one.close(), other.close()]);
      await testDatabase.drop();
    },
  );

  slowTest(
    "with an encoding other than UTF8 is rejected at the start, because it could not store every name",
    async () => {
      const { url } = await postgres.createDatabase();
      const name = `latin_${new URL(url).pathname.slice(1)}`;
      await administer(
        `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
      );
      const latin = new URL(url);
      latin.pathname = `/${name}`;
      await expect(Database.open(createDataSource(latin.href))).rejects.toThrow(
        / is encoded in LATIN1 instead of UTF8/,
      );
      await administer(`DROP DATABASE ${name}`);
      await administer(`DROP DATABASE ${new URL(url).pathname.slice(1)}`);
    },
  );

  slowTest("that is read-only makes writes fail with 503, which the database records", async () => {
    const gateway = await startGateway(postgres);
    const { database } = gateway.services;
    const add = () => gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    const trigger = `CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE insufficient_privilege; END $$`;
    await database.write((tx) => tx.query(trigger));
    await database.write((tx) =>
      tx.query("CREATE TRIGGER reject BEFORE INSERT ON pet EXECUTE FUNCTION reject()"),
    );
    expect((await add()).status).toBe(503);
    expect((await gateway.rest("GET", "/v1/pets")).status).toBe(200);
    // Checked immediately, because the next write, such as a key's last use, may succeed.
    const wrote = await database
      .write((tx) => tx.query("INSERT INTO pet SELECT * FROM pet"))
      .catch(() => database.lastWriteSucceeded);
    expect(wrote).toBe(false);
    await database.write((tx) => tx.query("DROP TRIGGER reject ON pet"));
    expect((await add()).status).toBe(201);
    await gateway.close();
  });
});

test("inserts of an organization that wait for its locks do not hold up another's", async () => {
  const testDatabase = await postgres.createDatabase();
  const database = await Database.open(createDataSource(testDatabase.url));
  const { promise: lock, resolve: unlock } = withResolver();
  const add = database.batchInsertsByOwner<{ owner: string; name: string }, string>(
    ({ owner }) => owner,
    async (_, rows) => {
      if (rows.some(({ owner }) => owner === "greedy")) await lock;
      return rows.map(({ name }) => name);
    },
  );
  const greedy = add({ owner: "greedy", name: "first" });
  expect(await add({ owner: "modest", name: "second" })).toBe("second");
  unlock();
  expect(await greedy).toBe("first");
  await database.close();
  await testDatabase.drop();
});

test("a read after the database was closed fails without retries, which would block the event loop", async () => {
  const testDatabase = await postgres.createDatabase();
  const source = createDataSource(testDatabase.url);
  const database = await Database.open(source);
  await database.close();
  const attempts = jest.spyOn(source, "createQueryRunner");
  await expect(database.read((reader) => reader.query("SELECT 1"))).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(attempts).toHaveBeenCalledTimes(1);
  await testDatabase.drop();
});

describe("a missing PostgreSQL server", () => {
  test("is named in the error, without the password", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
      });
    });
    const opening = Database.open(createDataSource(`postgres://user:hunter2@127.0.0.1:${port}/pets`));
    await expect(opening).rejects.toThrow(`cannot use the database postgres://127.0.0.1:${port}/pets`);
    await expect(opening).rejects.not.toThrow("hunter2");
  });
});
