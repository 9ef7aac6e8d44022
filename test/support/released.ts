import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DataSource, MigrationInterface } from "typeorm";
import { Query } from "typeorm/driver/Query";
import { createDataSource } from "../../src/features";
import type { TestEngine } from "./engines";

const FOLDER = join(__dirname, "../database/released");

/** A release, identified by its migration. */
interface Release {
  /** Name of the migration's class. */
  name: string;
  /** Statements that migrate the tables from the previous release to this one. */
  statements: string[];
  /** Statements that insert rows into its new tables and columns, the same for both databases. */
  rows: string[];
}

const textOf = (engine: TestEngine) => `${engine.name.toLowerCase()}.sql`;

/** Returns the recorded releases for a database, oldest first. */
export const releasesOf = (engine: TestEngine): Release[] =>
  readdirSync(FOLDER)
    .sort()
    .filter((folder) => existsSync(join(FOLDER, folder, textOf(engine))))
    .map((folder) => ({
      name: className(folder),
      statements: statementsIn(join(FOLDER, folder, textOf(engine))),
      rows: statementsIn(join(FOLDER, folder, "rows.sql")),
    }));

/**
 * Creates the tables and rows of a release.
 * @param number 1 for the first release
 */
export async function loadRelease(engine: TestEngine, url: string, number: number): Promise<void> {
  const source = await createDataSource(url).initialize();
  try {
    const id = engine.name === "SQLite" ? "integer PRIMARY KEY AUTOINCREMENT" : "SERIAL PRIMARY KEY";
    await source.query(
      `CREATE TABLE migration (id ${id}, "timestamp" bigint NOT NULL, name varchar NOT NULL)`,
    );
    for (const { name, statements, rows } of releasesOf(engine).slice(0, number)) {
      for (const statement of [...statements, ...rows]) await source.query(statement);
      await source.query(
        `INSERT INTO migration ("timestamp", name) VALUES (${name.replace(/\D/g, "")}, '${name}')`,
      );
    }
  } finally {
    await source.destroy();
  }
}

/** Records the statements of a migration when its version is released; never overwrites a record. */
export function record(engine: TestEngine, name: string, statements: readonly string[]): void {
  const [, words = "", time = ""] = /^(\D+)(\d+)$/.exec(name) ?? [];
  const folder = join(FOLDER, `${time}-${words.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase()}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, textOf(engine)), statements.map((statement) => `${statement};\n`).join(""), {
    flag: "wx",
  });
}

/** Returns a migration's statements without running them. */
export async function statementsOf(source: DataSource, migration: MigrationInterface): Promise<string[]> {
  const runner = source.createQueryRunner();
  runner.enableSqlMemory();
  const query = runner.query.bind(runner);
  // TypeORM would run these statements, because it only records the ones from its schema API.
  runner.query = async (text: string, ...rest: never[]) =>
    /^(ALTER|CREATE (UNIQUE )?INDEX|INSERT|UPDATE)/.test(text)
      ? void runner.getMemorySql().upQueries.push(new Query(text))
      : query(text, ...rest);
  await migration.up(runner);
  const { upQueries } = runner.getMemorySql();
  runner.disableSqlMemory();
  // SQLite has one shared runner.
  runner.query = query;
  return upQueries.map(({ query }) => query.trim());
}

/** `1763700000000-initial` → `Initial1763700000000` */
function className(folder: string): string {
  const [time = "", ...words] = folder.split("-");
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("") + time;
}

const statementsIn = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split(/;\n/)
        .filter((text) => text.trim() !== "")
    : [];
