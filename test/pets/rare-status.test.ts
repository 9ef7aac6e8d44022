import { Client } from "pg";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { PetStatus } from "../../src/features/pets/pet.entity";
import { PetService } from "../../src/features/pets/pet.service";
import { postgres } from "../support/engines";

const COMMON = 20_000;
const RARE = 30;

/** After this many runs, PostgreSQL uses the same plan for all parameters. */
const RUNS = 12;

test("pets of a rare status are found by an index on PostgreSQL, for one list and for several together", async () => {
  const testDatabase = await postgres.createMigratedDatabase();
  const database = await Database.open(createDataSource(testDatabase.url), { serving: true });
  await database.migrate();
  await database.write(async (tx) => {
    await tx.query(
      `INSERT INTO pet (name, category_id, status)
       SELECT 'Pet ' || i, 1, CASE WHEN i <= ${COMMON} THEN 'available' ELSE 'sold' END
       FROM generate_series(1, ${COMMON + RARE}) AS i`,
    );
    await tx.query("ANALYZE pet");
  });
  const pets = new PetService(database);
  const sold = async () => (await pets.list({ first: 20, after: null, status: PetStatus.sold })).nodes.length;
  for (let i = 0; i < RUNS; i++) {
    expect(await sold()).toBe(20);
    expect(await Promise.all([sold(), sold()])).toEqual([20, 20]);
  }
  // A connection reports the rows that it has read only when it ends.
  await database.close();

  const client = new Client(testDatabase.url);
  await client.connect();
  const { rows } = await client.query(
    "SELECT idx_tup_fetch::int AS by_index, seq_tup_read::int AS by_scan FROM pg_stat_user_tables WHERE relname = 'pet'",
  );
  await client.end();
  await testDatabase.drop();
  const lists = 3 * RUNS;
  expect(rows[0].by_index).toBeGreaterThanOrEqual(lists * 20);
  expect(rows[0].by_index).toBeLessThanOrEqual(lists * 21);
});
