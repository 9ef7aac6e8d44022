import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";

/** A database that nobody else uses. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** One of the databases that the service runs on. */
export interface TestEngine {
  name: "SQLite" | "PostgreSQL";
  createDatabase(): Promise<TestDatabase>;
}

export const sqlite: TestEngine = {
  name: "SQLite",
  async createDatabase() {
    const directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
    return {
      url: `sqlite:${join(directory, "gateway.sqlite")}`,
      drop: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

export const postgres: TestEngine = {
  name: "PostgreSQL",
  async createDatabase() {
    const server = process.env.TEST_POSTGRES_URL;
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await administer(`CREATE DATABASE ${name}`);
    return { url: `${server}/${name}`, drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) };
  },
};

/** Runs a statement on the PostgreSQL server, outside of the databases under test. */
export async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: `${process.env.TEST_POSTGRES_URL}/postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Runs a suite once on each database that the service supports. */
export function onEachEngine(suite: (engine: TestEngine) => void): void {
  describe.each([sqlite, postgres])("on $name", suite);
}
