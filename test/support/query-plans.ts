import type { DataSource, Logger } from "typeorm";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import type { TestEngine } from "./engines";
import { type Rows, rowsIn } from "./rows";

export interface Statement {
  query: string;
  parameters: unknown[];
}

/** A migrated database that records its statements and shows their plans. */
export interface LoggedDatabase {
  database: Database;
  rows: Rows;
  source: DataSource;
  /** The statements since the list was last cleared. */
  statements: Statement[];
  /** Returns the database's plan for a statement. */
  planOf(statement: Statement | undefined): Promise<string>;
  /** Runs work, and expects that none of its statements reads a whole large table. */
  expectIndexes(work: () => Promise<unknown>, expected: { reads: RegExp }): Promise<void>;
  close(): Promise<void>;
}

/** Tables that no statement may read in full, unlike small tables and the values in a statement. */
const LARGE = ["message", "delivery_attempt", "conversation", "lane", "contact", "contact_address"];

/** @param large the tables that no statement may read in full, including their aliases */
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
    rows: rowsIn(database),
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
