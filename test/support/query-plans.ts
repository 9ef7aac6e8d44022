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
  /** Runs work, and expects that no statement of it reads one of the large tables as a whole. */
  expectIndexes(work: () => Promise<unknown>, expected: { reads: RegExp }): Promise<void>;
  close(): Promise<void>;
}

/** Small tables, and the values of a statement itself, are read whole. */
const LARGE = ["message", "delivery_attempt", "conversation", "lane", "contact", "contact_address"];

/** @param large the tables, by their aliases too, that no statement may read whole */
export async function openLogged(engine: TestEngine, large = LARGE): Promise<LoggedDatabase> {
  const testDatabase = await engine.createMigratedDatabase();
  const source = createDataSource(testDatabase.url);
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
  const explain = engine.name === "SQLite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
  const planOf: LoggedDatabase["planOf"] = async ({ query, parameters } = { query: "", parameters: [] }) => {
    const lines: Record<string, string>[] = await database.read((reader) =>
      reader.query(`${explain} ${query}`, parameters),
    );
    return lines.map((line) => line.detail ?? line["QUERY PLAN"]).join("\n");
  };
  const tables = large.join("|");
  const whole = new RegExp(
    engine.name === "SQLite" ? `\\bSCAN (${tables})\\b(?! USING)` : `seq scan on "?(${tables})\\b`,
    "i",
  );
  return {
    database,
    source,
    statements,
    planOf,
    expectIndexes: async (work, { reads }) => {
      statements.length = 0;
      await work();
      const planned = statements.filter(({ query }) => /^\s*(select|with|update|delete)/i.test(query));
      expect(planned.filter(({ query }) => reads.test(query))).not.toEqual([]);
      for (const statement of planned) {
        const plan = await planOf(statement);
        const { query } = statement;
        expect({ query, plan }).toEqual({ query, plan: expect.not.stringMatching(whole) });
      }
    },
    close: async () => {
      await database.close();
      await testDatabase.drop();
    },
  };
}
