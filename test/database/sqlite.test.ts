import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { DataSource } from "typeorm";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { Pet } from "../../src/features/pets/pet.entity";
import { closedAfterEach } from "../support/closing";
import { sqlite, type TestDatabase } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";

const PET = { name: "Rex", categoryId: "1", status: null };

describe("the embedded database", () => {
  const keep = closedAfterEach();
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    testDatabase = await sqlite.createDatabase();
  });
  afterEach(() => testDatabase.drop());

  test("is durable: it has a write-ahead log, and each commit waits for the disk", async () => {
    const database = await keep(Database.open(createDataSource(testDatabase.url)));
    const pragmas = await database.write(async (tx) => ({
      ...(await tx.query("PRAGMA journal_mode"))[0],
      ...(await tx.query("PRAGMA synchronous"))[0],
      ...(await tx.query("PRAGMA foreign_keys"))[0],
    }));
    expect(pragmas).toEqual({ journal_mode: "wal", synchronous: 2, foreign_keys: 1 });
  });

  test("relays a unit's announcements to other processes on the file after its commit", async () => {
    const reader = await Database.open(createDataSource(testDatabase.url));
    const relay = jest.fn((channel: string) => reader.relay(channel));
    const writer = await Database.open(createDataSource(testDatabase.url), { relay });
    const failed = writer.write(async (tx) => {
      tx.announce("rolled_back");
      throw new Error("rolled back");
    });
    await expect(failed).rejects.toThrow("rolled back");
    const heard = new Promise<void>((resolve) => void reader.listen("events", () => resolve()));
    await writer.write(async (tx) => tx.announce("events"));
    await heard;
    expect(relay.mock.calls).toEqual([["events"]]);
    await writer.close();
    await reader.close();
  });

  slowTest("keeps statements prepared, however many there are, except ones that fail", async () => {
    const database = await keep(Database.open(createDataSource(testDatabase.url)));
    await database.migrate();
    for (let i = 0; i < 400; i++)
      expect(await database.write((tx) => tx.query(`SELECT ${i} AS n, $1 AS p`, [i]))).toEqual([
        { n: i, p: i },
      ]);
    const rename = (name: string) => database.write((tx) => tx.query("UPDATE pet SET nickname = $1", [name]));
    await expect(rename("Rexy")).rejects.toThrow("no such column: nickname");
    await expect(rename("Rexy")).rejects.toThrow("no such column: nickname");
    await database.write((tx) => tx.query("ALTER TABLE pet ADD COLUMN nickname"));
    await database.write((tx) => tx.insert(Pet, PET));
    await rename("Rexy");
    // A statement with unread rows would prevent the commit.
    const insert = "INSERT INTO pet (name, category_id) VALUES ($1, 1) RETURNING id";
    for (let i = 0; i < 2; i++) await database.write((tx) => tx.query(insert, ["Max"]));
    // The columns of a prepared statement follow changes to the table.
    const all = () => database.write((tx) => tx.query("SELECT * FROM pet ORDER BY id LIMIT 1"));
    expect(Object.keys((await all())[0])).toContain("nickname");
    await database.write((tx) => tx.query("ALTER TABLE pet DROP COLUMN nickname"));
    expect(Object.keys((await all())[0])).not.toContain("nickname");
  });

  test("accepts no writes from a read-only query", async () => {
    const database = await keep(Database.open(createDataSource(testDatabase.url)));
    await database.migrate();
    await expect(database.read((reader) => reader.insert(Pet, PET))).rejects.toMatchObject({
      code: "unavailable",
      cause: { driverError: { code: "SQLITE_READONLY" } },
    });
    expect(await database.read((reader) => reader.count(Pet))).toBe(0);
  });

  test.each([
    [
      "holds something else",
      async (file: string) => writeFile(file, "something else, and much longer ".repeat(99)),
    ],
    ["is a directory", async (file: string) => void (await mkdir(file))],
  ])("names the file that %s, and leaves it alone", async (_, make) => {
    const file = testDatabase.url.slice("sqlite:".length);
    await make(file);
    const before = await readFile(file).catch(() => undefined);
    await expect(Database.open(createDataSource(testDatabase.url))).rejects.toThrow(
      `cannot use the database ${testDatabase.url}`,
    );
    expect(await readFile(file).catch(() => undefined)).toEqual(before);
  });

  test("names the file whose directory cannot be created", async () => {
    const file = testDatabase.url.slice("sqlite:".length);
    await writeFile(file, "");
    const inside = `sqlite:${file}/data/gateway.sqlite`;
    await expect(Database.open(createDataSource(inside))).rejects.toThrow(
      `cannot use the database ${inside}`,
    );
  });

  test("is accessible only to its owner, even if its files already existed", async () => {
    const file = testDatabase.url.slice("sqlite:".length);
    const open = () => Database.open(createDataSource(testDatabase.url));
    const first = await keep(open());
    await first.migrate();
    const files = [file, `${file}-wal`, `${file}-shm`];
    for (const each of files) await chmod(each, 0o644);
    await keep(open());
    for (const each of files) expect([each, (await stat(each)).mode & 0o777]).toEqual([each, 0o600]);
  });

  test("creates the directory of its file", async () => {
    const file = `${dirname(testDatabase.url.slice("sqlite:".length))}/a/b/gateway.sqlite`;
    const database = await Database.open(createDataSource(`sqlite:${file}`));
    await database.close();
    expect((await readFile(file)).length).toBeGreaterThan(0);
  });
});

describe("while another process holds the write lock", () => {
  const keep = closedAfterEach();
  let gateway: TestGateway;
  let other: DataSource;
  beforeEach(async () => {
    gateway = await startGateway(sqlite);
    other = await createDataSource(gateway.databaseUrl).initialize();
    await other.query("BEGIN EXCLUSIVE");
  });
  afterEach(async () => {
    await other.destroy();
    await gateway.close();
  });

  const add = () => gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });

  test("a write waits until the lock is released, and reads do not wait", async () => {
    const adding = add();
    const listing = await Promise.race([adding, gateway.rest("GET", "/v1/pets")]);
    expect(listing).toMatchObject({ status: 200, body: [] });
    expect((await gateway.rest("GET", "/readyz")).status).toBe(200);
    await other.query("COMMIT");
    expect((await adding).status).toBe(201);
  });

  test("a process waits for another's migration, even for longer than a write waits", async () => {
    await other.query("COMMIT");
    const { database } = gateway.services;
    const writing = await keep(Database.open(createDataSource(gateway.databaseUrl)));
    for (const each of [database, writing]) await each.write((tx) => tx.query("PRAGMA busy_timeout = 20"));
    await other.query("BEGIN EXCLUSIVE");
    const migrating = database.migrate();
    for (let i = 0; i < 3; i++)
      await expect(writing.write((tx) => tx.query("SELECT 1"))).rejects.toMatchObject({
        code: "unavailable",
      });
    await other.query("COMMIT");
    expect(await migrating).toEqual([]);
  });

  test("a write that waits for too long is answered 503 through both APIs, and the next one works", async () => {
    await other.query("COMMIT");
    await gateway.rows.execute("PRAGMA busy_timeout = 20");
    await other.query("BEGIN EXCLUSIVE");
    const rejected = await add();
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(rejected.body).toEqual({ code: "unavailable", message: expect.any(String), status: 503 });
    const { body, status } = await gateway.graphql(
      'mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }',
    );
    expect(body.errors[0].extensions.code).toBe("unavailable");
    expect(body.data).toEqual({ createPet: null });
    expect(status).toBe(503);
    await other.query("COMMIT");
    expect((await add()).status).toBe(201);
    expect((await gateway.rest("GET", "/v1/pets")).body).toHaveLength(1);
  });
});
