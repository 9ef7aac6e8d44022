import sqlite3 from "sqlite3";
import { DataSource, type DataSourceOptions } from "typeorm";
import { MIGRATIONS } from "./migrations";
import { SnakeCaseNaming } from "./snake-case-naming";

const model = {
  migrations: [...MIGRATIONS],
  migrationsTableName: "migration",
  namingStrategy: new SnakeCaseNaming(),
  synchronize: false,
  logging: false,
  // Otherwise `findOneBy({ id: undefined })` would answer with the first row of the table.
  invalidWhereValuesBehavior: { null: "throw", undefined: "throw" },
} as const satisfies Partial<DataSourceOptions>;

/** How long a statement of SQLite waits for another writer before it gives up (ms). */
export const WAIT_MS = 5_000;

/** How long to wait for a free connection to PostgreSQL, or for a new one, before giving up (ms). */
export const CONNECT_MS = 2_000;

/**
 * Describes, without connecting, how the service reaches its database.
 * @param url `sqlite:<file>` or `postgres://…`
 * @param entities its tables
 * @param poolSize most connections to PostgreSQL at a time; SQLite has one writer and one reader
 */
export function createDataSource(
  url: string,
  entities: readonly (new () => object)[],
  poolSize = 10,
): DataSource {
  const whole = { ...model, entities: [...entities] };
  if (!url.startsWith("sqlite:")) {
    return new DataSource({
      ...whole,
      type: "postgres",
      url,
      poolSize,
      applicationName: "gateway",
      connectTimeoutMS: CONNECT_MS,
    });
  }
  const source = new DataSource({
    ...whole,
    type: "sqlite",
    database: url.slice("sqlite:".length),
    busyTimeout: WAIT_MS,
    // TypeORM would have it take a stack trace of every call, with the values in it: what failed would show them.
    driver: { ...sqlite3, verbose: () => sqlite3 },
  });
  // SQLite spells int64 INTEGER, and AUTOINCREMENT takes no other spelling; TypeORM would write "bigint".
  const { driver } = source;
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => (column.type === "bigint" ? "integer" : normalizeType(column));
  return source;
}
