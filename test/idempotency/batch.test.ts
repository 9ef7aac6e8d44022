import { agentCaller, type RequestContext } from "../../src/auth/context";
import { bootstrap } from "../../src/bootstrap";
import { timestamp } from "../../src/common/time";
import { loadConfig } from "../../src/config";
import { sha256 } from "../../src/credentials/sha256";
import { Database } from "../../src/database/database";
import { NO_OBSERVER } from "../../src/database/observer";
import { createDataSource, createServices } from "../../src/features";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { Pet } from "../../src/features/pets/pet.entity";
import type { CreatePetInput } from "../../src/features/pets/pet.inputs";
import { PetService } from "../../src/features/pets/pet.service";
import { IDEMPOTENCY_LIFETIME_MS } from "../../src/idempotency/idempotency";
import { IdempotencyRecord } from "../../src/idempotency/idempotency-record.entity";
import { createLogger } from "../../src/logger";
import { closedAfterEach } from "../support/closing";
import { onAnyEngine, type TestDatabase } from "../support/engines";
import { slowTest } from "../support/slow-test";
import { waitUntil, withResolver } from "../support/wait-until";

onAnyEngine((engine) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let pets: PetService;
  /** The context of the only key. */
  let context: RequestContext;
  /** Number of rows in each statement that inserted for several callers. */
  let batches: number[];
  const keep = closedAfterEach();
  const open = () => {
    const observer = {
      ...NO_OBSERVER,
      coalesced: (what: string, calls: number) => {
        if (what === "inserts") batches.push(calls);
      },
    };
    return keep(Database.open(createDataSource(testDatabase.url), { observer }));
  };
  beforeEach(async () => {
    batches = [];
    testDatabase = await keep(engine.createMigratedDatabase());
    database = await open();
    await database.migrate();
    pets = new PetService(database);
    const config = loadConfig({ DATABASE_URL: testDatabase.url });
    await bootstrap(createServices({ database, config, log: createLogger("silent") }));
    const [key] = await database.read((reader) => reader.find(ApiKey));
    context = { caller: { kind: "agent", agent: { id: key?.agentId }, key } } as unknown as RequestContext;
  });

  const draft = (name: string, idempotencyKey?: string) =>
    ({ name, categoryId: "1", status: undefined, idempotencyKey }) as CreatePetInput;
  const add = (name: string, key?: string, service = pets) => service.create(context, draft(name, key));
  const names = async () =>
    (await database.read((reader) => reader.find(Pet, { order: { id: "ASC" } }))).map(({ name }) => name);

  test("concurrent creates with keys share few transactions, and each gets its own result", async () => {
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    const made = await Promise.all(numbers.map((i) => add(`pet ${i}`, `key ${i}`)));
    expect(batches.length).toBeLessThan(5);
    expect(made.map(({ name }) => name)).toEqual(numbers.map((i) => `pet ${i}`));
    const stored = await database.read((reader) => reader.find(Pet));
    const nameOf = new Map(stored.map(({ id, name }) => [String(id), name]));
    expect(made.map(({ id }) => nameOf.get(id))).toEqual(numbers.map((i) => `pet ${i}`));
    expect(await Promise.all(numbers.map((i) => add(`pet ${i}`, `key ${i}`)))).toEqual(made);
    expect(await names()).toHaveLength(numbers.length);
  });

  test("new creates, repeats, duplicates and reused keys in one batch are each answered as if sent alone", async () => {
    const first = await add("first", "used");
    batches.length = 0;
    const outcomes = await Promise.allSettled([
      add("new", "new"),
      add("first", "used"),
      add("another", "used"),
      add("double", "double"),
      add("double", "double"),
      add("not the double", "double"),
    ]);
    expect(batches).toEqual([6]);
    const answers = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value.id : outcome.reason.code,
    );
    const [, , , double] = answers;
    expect(answers.slice(1)).toEqual([
      first.id,
      "idempotency_key_reused",
      double,
      double,
      "idempotency_key_reused",
    ]);
    expect((await names()).sort()).toEqual(["double", "first", "new"]);
  });

  test("a key is free again after its lifetime", async () => {
    const first = await add("first", "key");
    await database.write((tx) =>
      tx.update(
        IdempotencyRecord,
        { scope: `createPet:${agentCaller(context).agent.id}` },
        { createdAt: timestamp(-IDEMPOTENCY_LIFETIME_MS - 1) },
      ),
    );
    const second = await add("second", "key");
    expect(second.id).not.toBe(first.id);
    expect(await add("second", "key")).toEqual(second);
    expect(await names()).toEqual(["first", "second"]);
  });

  slowTest("processes whose batches share keys in different orders all get the same results", async () => {
    const services = [pets, new PetService(await open()), new PetService(await open())];
    for (let round = 0; round < 10; round++) {
      const keys = Array.from({ length: 20 }, (_, i) => `key ${round} ${i}`);
      const answers = await Promise.all(
        services.map(async (service, i) => {
          const order = i % 2 === 0 ? keys : keys.toReversed();
          const made = await Promise.all(order.map((key) => add(key, key, service)));
          return i % 2 === 0 ? made : made.toReversed();
        }),
      );
      expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    }
    expect(await names()).toHaveLength(200);
  });

  if (engine.name !== "PostgreSQL") return;

  slowTest("a create that waits for its key does not hold up others", async () => {
    const elsewhere = await open();
    const end = withResolver();
    const slow = elsewhere.write(async (tx) => {
      await tx.insert(IdempotencyRecord, {
        scope: `createPet:${agentCaller(context).agent.id}`,
        key: sha256("key"),
        requestHash: "",
        createdAt: timestamp(),
      });
      await end.promise;
      throw new Error("taken back");
    });
    const takenBack = expect(slow).rejects.toThrow("taken back");
    let answered = false;
    const waiting = add("waiting", "key").then(() => {
      answered = true;
    });
    const waits = async () =>
      (await database.read((reader) => reader.query("SELECT 1 FROM pg_locks WHERE NOT granted"))).length > 0;
    await waitUntil(async () => answered || (await waits()));
    await add("other");
    expect(answered).toBe(false);
    end.resolve();
    await takenBack;
    await waiting;
    expect(await names()).toEqual(["other", "waiting"]);
  });
});
