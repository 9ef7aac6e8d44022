import type { DataSource, Logger } from "typeorm";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import type { TestEngine } from "./engines";

/** A statement that was run. */
export interface Statement {
  query: string;
  parameters: unknown[];
}

/** A migrated database that records its statements and tells how it runs them. */
export interface LoggedDatabase {
  database: Database;
  source: DataSource;
  /** The statements since it was last emptied. */
  statements: Statement[];
  /** How the database runs a statement, in its own words. */
  planOf(statement: Statement | undefined): Promise<string>;
  close(): Promise<void>;
}

export async function openLogged(engine: TestEngine): Promise<LoggedDatabase> {
  const place = await engine.createDatabase();
  const source = createDataSource(place.url);
  const statements: Statement[] = [];
  const none = () => {};
  const logger: Logger = {
    logQuery: (query, parameters = []) => void statements.push({ query, parameters }),
    logQueryError: none,
    logQuerySlow: none,
    logSchemaBuild: none,
    logMigration: none,
    log: none,
  };
  const database = await Database.open(source.setOptions({ logging: ["query"], logger }));
  await database.migrate();
  const explain = engine.name === "SQLite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
  return {
    database,
    source,
    statements,
    planOf: async ({ query, parameters } = { query: "", parameters: [] }) => {
      const lines: Record<string, string>[] = await database.read((reader) =>
        reader.query(`${explain} ${query}`, parameters),
      );
      return lines.map((line) => line.detail ?? line["QUERY PLAN"]).join("\n");
    },
    close: async () => {
      await database.close();
      await place.drop();
    },
  };
}
