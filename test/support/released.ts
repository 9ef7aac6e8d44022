import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DataSource, MigrationInterface } from "typeorm";
import { Query } from "typeorm/driver/Query";
import type { TestEngine } from "./engines";

const FOLDER = join(__dirname, "../database/released");

/** What a released migration did, as text, in the order of the releases. */
export interface Released {
  /** Name of the migration's class. */
  name: string;
  file: string;
  /** Statements that bring the tables from the release before to this one. */
  statements: string[];
  /** Statements that put rows into what is new with it, the same for both databases. */
  rows: string[];
}

const textOf = (engine: TestEngine) => `${engine.name.toLowerCase()}.sql`;

/** The releases whose SQL is written down for a database. */
export const releasesOf = (engine: TestEngine): Released[] =>
  readdirSync(FOLDER)
    .sort()
    .filter((folder) => existsSync(join(FOLDER, folder, textOf(engine))))
    .map((folder) => ({
      name: className(folder),
      file: join(FOLDER, folder, textOf(engine)),
      statements: statementsIn(join(FOLDER, folder, textOf(engine))),
      rows: statementsIn(join(FOLDER, folder, "rows.sql")),
    }));

/** Writes down what a migration does, once it is final: with `RECORD=1`, and never over what is there. */
export function record(engine: TestEngine, name: string, statements: readonly string[]): void {
  const [, words = "", time = ""] = /^(\D+)(\d+)$/.exec(name) ?? [];
  const folder = join(FOLDER, `${time}-${words.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase()}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, textOf(engine)), statements.map((statement) => `${statement};\n`).join(""), {
    flag: "wx",
  });
}

/** The statements that a migration sends, without running them. */
export async function statementsOf(source: DataSource, migration: MigrationInterface): Promise<string[]> {
  const runner = source.createQueryRunner();
  runner.enableSqlMemory();
  const query = runner.query.bind(runner);
  // TypeORM would run these, though it only remembers what its schema API makes.
  runner.query = async (text: string, ...rest: never[]) =>
    /^(ALTER|CREATE (UNIQUE )?INDEX|INSERT|UPDATE)/.test(text)
      ? void runner.getMemorySql().upQueries.push(new Query(text))
      : query(text, ...rest);
  await migration.up(runner);
  const { upQueries } = runner.getMemorySql();
  runner.disableSqlMemory();
  // SQLite has one runner for all.
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
