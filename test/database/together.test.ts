import { setImmediate as nextTurn } from "node:timers/promises";
import { Database } from "../../src/database/database";
import type { Tx } from "../../src/database/unit-of-work";
import { GatewayError } from "../../src/errors";
import { createDataSource } from "../../src/features";
import { Pet } from "../../src/features/pets/pet.entity";
import { closedAfterEach } from "../support/closing";
import { onAnyEngine, sqlite, type TestDatabase } from "../support/engines";
import { startGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { withResolver } from "../support/wait-until";

onAnyEngine((engine) => {
  const keep = closedAfterEach();
  let testDatabase: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    testDatabase = await keep(engine.createMigratedDatabase());
    database = await keep(Database.open(createDataSource(testDatabase.url)));
    await database.migrate();
  });

  const names = async () => {
    const pets = await database.read((reader) => reader.find(Pet));
    return pets.map(({ name }) => name).sort();
  };
  const insert = async (tx: Tx, rows: readonly string[]) => {
    await tx.insert(
      Pet,
      rows.map((name) => ({ name, categoryId: "1", status: null })),
    );
    return rows.map((name) => name.toUpperCase());
  };

  test("concurrent rows are inserted by few statements, and each caller gets its own result", async () => {
    const sizes: number[] = [];
    const add = database.batchInserts((tx, rows: readonly string[]) => {
      sizes.push(rows.length);
      return insert(tx, rows);
    });
    const wanted = Array.from({ length: 100 }, (_, i) => `pet ${i}`);
    expect(await Promise.all(wanted.map(add))).toEqual(wanted.map((name) => name.toUpperCase()));
    expect(await names()).toEqual([...wanted].sort());
    expect(sizes.length).toBeLessThan(5);
  });

  if (engine === sqlite) {
    test("rows that wait for the only writer become one batch, however long it is busy", async () => {
      // The test decides when a batch has taken too long for others to wait for it.
      jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate"] });
      try {
        const sizes: number[] = [];
        const add = database.batchInserts((tx, rows: readonly string[]) => {
          sizes.push(rows.length);
          return insert(tx, rows);
        });
        const release = withResolver();
        const busy = new Promise<void>((begun) => {
          void database.write(async () => {
            begun();
            await release.promise;
          });
        });
        await busy;
        const wanted = ["one", "two", "three", "four", "five"];
        const added = [];
        for (const name of wanted) {
          added.push(add(name));
          for (let turn = 0; turn < 5; turn++) await nextTurn();
          jest.advanceTimersByTime(500);
        }
        release.resolve();
        expect(await Promise.all(added)).toEqual(wanted.map((name) => name.toUpperCase()));
        expect(sizes).toEqual([wanted.length]);
      } finally {
        jest.useRealTimers();
      }
    });
  }

  test("a rejected row does not affect the others", async () => {
    const add = database.batchInserts(async (tx, rows: readonly string[]) => {
      const made = await insert(tx, rows);
      if (rows.includes("bad")) throw new Error("bad");
      return made;
    });
    const outcomes = await Promise.allSettled(["one", "bad", "two"].map(add));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await names()).toEqual(["one", "two"]);
  });

  test("rows are not retried if it is unknown whether they were kept", async () => {
    let tries = 0;
    const add = database.batchInserts<string, string>(async () => {
      tries += 1;
      throw new GatewayError("unavailable");
    });
    const outcomes = await Promise.allSettled(["one", "two"].map(add));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(tries).toBe(1);
  });

  slowTest(
    "each of many pets and messages added concurrently through both APIs is answered with its own ID",
    async () => {
      const gateway = await keep(startGateway(engine));
      const numbers = Array.from({ length: 200 }, (_, i) => i);
      const pets = await Promise.all(
        numbers.map(async (i) => {
          const name = `pet ${i}`;
          if (i % 2 === 0)
            return (await gateway.rest("POST", "/v1/pets", { body: { name, categoryId: i } })).body;
          const mutation =
            "mutation ($input: CreatePetInput!) { createPet(input: $input) { id name categoryId } }";
          return (await gateway.graphql(mutation, { input: { name, categoryId: String(i) } })).body.data
            .createPet;
        }),
      );
      const stored = await gateway.rows.find(Pet);
      const nameOf = new Map(stored.map(({ id, name }) => [String(id), name]));
      expect(pets.map(({ id }) => nameOf.get(String(id)))).toEqual(numbers.map((i) => `pet ${i}`));

      const messages = await Promise.all(
        numbers.map((i) => gateway.rest("POST", "/messages", { body: { message: `text ${i}` } })),
      );
      const found = await Promise.all(
        messages.map(({ body }) => gateway.graphql("query ($id: ID!) { message(id: $id) { text } }", body)),
      );
      expect(found.map(({ body }) => body.data.message.text)).toEqual(numbers.map((i) => `text ${i}`));
      expect(new Set(messages.map(({ body }) => body.id)).size).toBe(numbers.length);
    },
  );
});
