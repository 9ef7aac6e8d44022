import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { memoryFolder } from "./memory-folder";
import { afterDefaultTier, checksum, declareTest, TIER, testFile, withAllTests } from "./tiers";

/** A database for one test or suite. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database system that the service supports. */
export interface TestEngine {
  name: "SQLite" | "PostgreSQL";
  /** Creates an empty database. */
  createDatabase(): Promise<TestDatabase>;
  /** Creates a database with current tables, like an empty database that the server has migrated. */
  createMigratedDatabase(): Promise<TestDatabase>;
}

export const sqlite: TestEngine = {
  name: "SQLite",
  async createDatabase() {
    const directory = await mkdtemp(join(memoryFolder(1e9), "gateway-test-"));
    return {
      url: `sqlite:${join(directory, "gateway.sqlite")}`,
      drop: () => rm(directory, { recursive: true, force: true }),
    };
  },
  async createMigratedDatabase() {
    const database = await sqlite.createDatabase();
    await copyFile(process.env.TEST_SQLITE_TEMPLATE ?? "", database.url.slice("sqlite:".length));
    return database;
  },
};

export const postgres: TestEngine = {
  name: "PostgreSQL",
  createDatabase: () => copyPostgres("template1"),
  createMigratedDatabase: () => copyPostgres(process.env.TEST_POSTGRES_TEMPLATE ?? ""),
};

/** The databases that `onEachEngine` uses. */
let engines: readonly TestEngine[] = [sqlite, postgres];

async function copyPostgres(template: string): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES_URL;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return { url: `${server}/${name}`, drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

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

/**
 * Migrates a database for `createMigratedDatabase` on the PostgreSQL server.
 * @returns its name
 */
export async function createPostgresTemplate(): Promise<string> {
  const name = `template_${randomUUID().replaceAll("-", "")}`;
  await administer(`CREATE DATABASE ${name}`);
  await migrate(`${process.env.TEST_POSTGRES_URL}/${name}`);
  return name;
}

/** Creates the tables in an empty database. */
export async function migrate(url: string): Promise<void> {
  const database = await Database.open(createDataSource(url));
  try {
    await database.migrate();
  } finally {
    await database.close();
  }
}

/** Runs a suite on each database, for behavior that may depend on the database. */
export function onEachEngine(suite: (engine: TestEngine) => void): void {
  afterDefaultTier(() => describeOn(engines, suite));
}

/** Declares tests on PostgreSQL alone, even if they run on each database. */
export function onlyOnPostgres(declare: () => void): void {
  engines = [postgres];
  try {
    declare();
  } finally {
    engines = [sqlite, postgres];
  }
}

/**
 * Runs a suite on one database, selected by the test file's name, for behavior in front of the database: parsing,
 * protocols and wording.
 */
export function onOneEngine(suite: (engine: TestEngine) => void): void {
  afterDefaultTier(() => describeOn([enginesOfFile()[0]], suite));
}

/**
 * Runs a suite that does not depend on the database: `npm test` selects one by the test file's name, SQLite for three
 * out of four, and `npm run test:all` runs it on both.
 */
export function onAnyEngine(suite: (engine: TestEngine) => void): void {
  withAllTests(() => describeOn(pickedEngines(), suite));
}

/** Declares tests, within a suite on each engine, that do not depend on the engine; they run as in `onAnyEngine`. */
export const testOnAny = (engine: TestEngine): typeof test =>
  pickedEngines().includes(engine) ? declareTest : declareTest.skip;

function pickedEngines(): TestEngine[] {
  const [first, other] = enginesOfFile();
  return { default: [first], rest: [other], all: [sqlite, postgres] }[TIER];
}

/** Returns both databases, starting with the one that `npm test` selects for the current test file. */
const enginesOfFile = (): [TestEngine, TestEngine] =>
  checksum(testFile()) % 4 > 0 ? [sqlite, postgres] : [postgres, sqlite];

function describeOn(engines: readonly TestEngine[], suite: (engine: TestEngine) => void): void {
  describe.each(engines)("on $name", suite);
}
