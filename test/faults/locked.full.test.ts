import type { DataSource } from "typeorm";
import { createDataSource } from "../../src/features";
import { Pet } from "../../src/features/pets/pet.entity";
import { sqlite } from "../support/engines";
import { type Reply, startGateway, type TestGateway } from "../support/gateway";
import { withShortTimeouts } from "../support/patient-database";
import { codeOf } from "../support/people";

withShortTimeouts(1);

/** Enough units of work for several transactions. */
const WRITES = 601;

// test/database/sqlite.test.ts tests a single write; this suite is about many.
describe("while another process holds the write lock of the SQLite file for a long time", () => {
  let gateway: TestGateway;
  let other: DataSource;
  beforeEach(async () => {
    gateway = await startGateway(sqlite);
    other = await createDataSource(gateway.databaseUrl).initialize();
  });
  afterEach(async () => {
    await other.destroy();
    await gateway.close();
  });

  /** Adds a pet in a unit of work whose statement is not combined with others. */
  const write = (i: number): Promise<unknown> =>
    gateway.services.database.write((tx) =>
      tx.insert(Pet, { name: `pet ${i}`, categoryId: "1", status: null }),
    );
  const add = (i: number): Promise<Reply> =>
    gateway.rest("POST", "/v1/pets", {
      body: { name: `pet ${i}`, categoryId: 1 },
      headers: { "idempotency-key": `key ${i}` },
    });

  // If each transaction waited the whole 5 seconds, the last of seven would be answered after 35.
  test("many writes are rejected together instead of one after the other, reads continue, and each retry adds one row", async () => {
    const numbers = Array.from({ length: WRITES }, (_, i) => i);
    await other.query("BEGIN EXCLUSIVE");
    const writing = Promise.allSettled(numbers.map(write));
    const adding = Promise.all(numbers.slice(0, 20).map(add));
    expect((await gateway.rest("GET", "/v1/pets")).status).toBe(200);
    const outcomes = await writing;
    expect(new Set(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code))).toEqual(
      new Set(["unavailable"]),
    );
    const rejected = await adding;
    expect(new Set(rejected.map(({ status }) => status))).toEqual(new Set([503]));
    expect(new Set(rejected.map(codeOf))).toEqual(new Set(["unavailable"]));
    for (const { headers } of rejected) expect(headers.get("retry-after")).toMatch(/^\d+$/);
    const ready = await gateway.rest("GET", "/readyz");
    expect([ready.status, ready.body.writes]).toEqual([200, "unavailable"]);

    await other.query("COMMIT");
    const retried = await Promise.all(numbers.slice(0, 20).map(add));
    expect(retried.map(codeOf)).toEqual(retried.map(() => undefined));
    const { database } = gateway.services;
    expect(await database.read((reader) => reader.count(Pet))).toBe(20);
    expect((await gateway.rest("GET", "/readyz")).body.writes).toBe("ok");
    // The full waiting time is restored.
    const [{ timeout }] = await database.write((tx) => tx.query("PRAGMA busy_timeout"));
    expect(timeout).toBe(5000);
  }, 25_000);
});
