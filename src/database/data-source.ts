import sqlite3 from "sqlite3";
import { DataSource, type DataSourceOptions } from "typeorm";
import { WAITS } from "./limits";
import { MIGRATIONS } from "./migrations";
import { SnakeCaseNaming } from "./snake-case-naming";

const model = {
  migrations: [...MIGRATIONS],
  migrationsTableName: "migration",
  namingStrategy: new SnakeCaseNaming(),
  synchronize: false,
  logging: false,
  // By default, `findOneBy({ id: undefined })` returns the first row of the table.
  invalidWhereValuesBehavior: { null: "throw", undefined: "throw" },
} as const satisfies Partial<DataSourceOptions>;

/**
 * Creates a data source, without connecting to it.
 * @param url `sqlite:<file>` or `postgres://…`
 * @param poolSize max PostgreSQL connections; SQLite ignores it
 */
export function createDataSource(
  url: string,
  entities: readonly (new () => object)[],
  poolSize = 10,
): DataSource {
  const common = { ...model, entities: [...entities] };
  if (!url.startsWith("sqlite:")) {
    return new DataSource({
      ...common,
      type: "postgres",
      url,
      poolSize,
      applicationName: "gateway",
      connectTimeoutMS: WAITS.connection,
    });
  }
  const source = new DataSource({
    ...common,
    type: "sqlite",
    database: url.slice("sqlite:".length),
    busyTimeout: WAITS.writer,
    // TypeORM enables verbose mode by default, and its stack traces leak statement parameters into errors.
    driver: { ...sqlite3, verbose: () => sqlite3 },
  });
  // AUTOINCREMENT requires the type INTEGER, but TypeORM writes "bigint".
  const { driver } = source;
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => (column.type === "bigint" ? "integer" : normalizeType(column));
  return source;
}
