import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { HOUR_MS } from "../../common/time";
import { explaining, StartupError } from "../../errors";
import { createDataSource } from "../data-source";
import { databaseLabel } from "../database-label";
import { driverCode } from "../engine";
import { MIGRATIONS } from "../migrations";
import { assertSchemaOf } from "./backup-schema";
import { restrictToOwner, SqliteFile } from "./sqlite-file";

/** The result of a backup or a restore. */
export interface Copied {
  /** The written file. */
  file: string;
  /** Size of the file (bytes). */
  bytes: number;
  /** Names of the migrations in the file, oldest first. */
  migrations: string[];
}

/** An unfinished file that was last written before this time (ms) belongs to a killed command. */
const ABANDONED_AFTER_MS = HOUR_MS;

interface Options {
  /** True to overwrite an existing file or database. */
  force?: boolean | undefined;
}

/**
 * Copies a consistent snapshot of the embedded database, including every acknowledged write, while processes keep
 * writing. The copy replaces the target only once it is complete, verified and synced to disk.
 * @throws StartupError with a one-line message; the target is then unchanged
 */
export async function backUp(url: string, to: string, { force = false }: Options): Promise<Copied> {
  const from = embeddedFile(url, "pg_dump");
  const file = resolve(to);
  assertIsFile(from);
  assertDistinct(from, file);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new StartupError(`${file} is a link: specify the path of the file itself`);
  }
  if (!force && existsSync(file)) throw new StartupError(`${file} already exists (--force replaces it)`);
  if (existsSync(file) && !statSync(file).isFile()) throw new StartupError(`${file} is not a file`);
  if (!existsSync(dirname(file))) throw new StartupError(`the folder ${dirname(file)} does not exist`);
  return explaining(`cannot back up ${from} to ${file}`, () =>
    withUnfinished(file, async (unfinished) => {
      await SqliteFile.use(from, "write", (database) => database.run("VACUUM INTO ?", [unfinished]));
      const migrations = await checked(unfinished);
      sync(unfinished);
      // Claims the file name; fails if a concurrent backup has already created the file.
      if (!force) closeSync(openSync(file, "wx", 0o600));
      renameSync(unfinished, file);
      sync(dirname(file));
      return { file, bytes: statSync(file).size, migrations };
    }),
  );
}

/** Runs work with a new private file beside `file`, which is then removed if the work has not renamed it. */
async function withUnfinished<T>(file: string, work: (unfinished: string) => Promise<T>): Promise<T> {
  const prefix = `.${basename(file)}.`;
  removeAbandoned(dirname(file), prefix);
  // A process ID would not be unique: in containers, every command may run as process 1.
  const unfinished = join(dirname(file), `${prefix}${randomUUID()}.unfinished`);
  closeSync(openSync(unfinished, "wx", 0o600));
  try {
    return await work(unfinished);
  } finally {
    for (const log of ["", "-journal", "-wal", "-shm"]) rmSync(`${unfinished}${log}`, { force: true });
  }
}

/** Removes the unfinished files and their logs that killed commands left; a running command writes to its own file. */
function removeAbandoned(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !/^[\w-]+\.unfinished(-\w+)?$/.test(name.slice(prefix.length))) continue;
    const written = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (written < Date.now() - ABANDONED_AFTER_MS) rmSync(join(folder, name), { force: true });
  }
}

/** A statement to run on a restored database if the table exists. */
interface Change {
  table: string;
  statement: string;
}

/**
 * Replaces the embedded database with a changed copy of a backup in one transaction, so that an interruption leaves
 * the database unchanged.
 * @param options.afterwards changes to the backup's data
 * @throws StartupError with a one-line message, including if the database is in use, the backup is from a newer
 *   version, or its schema does not match its version
 */
export async function restore(
  url: string,
  from: string,
  { force = false, afterwards = [] }: Options & { afterwards?: readonly Change[] },
): Promise<Copied> {
  const file = embeddedFile(url, "pg_restore");
  const backup = resolve(from);
  assertIsFile(backup);
  assertDistinct(file, backup);
  const migrations = await explaining(`${backup} cannot be restored`, () => checked(backup));
  assertKnown(backup, migrations);
  await explaining(`${backup} cannot be restored`, () => assertSchemaOf(backup, migrations));
  const isNew = !existsSync(file) || statSync(file).size === 0;
  if (!isNew && !force) throw new StartupError(`a database already exists at ${file} (--force replaces it)`);
  return explaining(`${file} cannot be replaced`, async () => {
    restrictToOwner(file);
    try {
      await SqliteFile.use(file, "write", async (database) => {
        await assertUnused(database, file);
        // SQLite commits a replacement by itself, so the changes are made to a copy of the backup before.
        await withUnfinished(file, async (copy) => {
          await SqliteFile.use(copy, "write", async (changed) => {
            await changed.replaceWith(backup);
            for (const { table, statement } of afterwards) {
              if (
                await changed.value(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '${table}'`)
              )
                await changed.run(statement);
            }
          });
          await database.replaceWith(copy);
        });
      });
      await checked(file);
    } catch (error) {
      if (isNew) rmSync(file, { force: true });
      throw error;
    }
    sync(file);
    sync(dirname(file));
    return { file, bytes: statSync(file).size, migrations };
  });
}

/** Returns the file of an SQLite URL; for PostgreSQL, throws a StartupError that names its `tool`. */
function embeddedFile(url: string, tool: string): string {
  if (url.startsWith("sqlite:")) return resolve(url.slice("sqlite:".length));
  const label = databaseLabel(createDataSource(url, []));
  throw new StartupError(`${label} is not embedded: use PostgreSQL's own ${tool}`);
}

function assertIsFile(file: string): void {
  if (!existsSync(file)) throw new StartupError(`${file} does not exist`);
  if (!statSync(file).isFile()) throw new StartupError(`${file} is not a file`);
}

function assertDistinct(one: string, other: string): void {
  const real = (file: string) => (existsSync(file) ? realpathSync(file) : file);
  const own = [real(one), `${real(one)}-wal`, `${real(one)}-shm`, `${real(one)}-journal`];
  if (own.includes(real(other))) throw new StartupError(`${other} is the database itself`);
}

/** Throws if another process has the database open: a database in use cannot leave WAL mode. */
async function assertUnused(database: SqliteFile, file: string): Promise<void> {
  const rejection = new StartupError(`a process is using the database ${file}: stop the process first`);
  try {
    // Hold the lock until the connection closes, so that no other process can connect.
    await database.run("PRAGMA locking_mode = EXCLUSIVE");
    const mode = await database.value("PRAGMA journal_mode = DELETE");
    if (mode !== "delete") throw rejection;
    await database.run("BEGIN EXCLUSIVE");
    await database.run("COMMIT");
  } catch (error) {
    const code = driverCode(error);
    if (code === "SQLITE_BUSY") throw rejection;
    if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") {
      throw new StartupError(
        `${file} is damaged: move it and its -wal and -shm files aside, then restore again`,
      );
    }
    throw error;
  }
}

/**
 * Finds any schema object other than a plain table or index, for example a trigger, which could undo a revocation. Also
 * checks the SQL, because SQLite executes the statement regardless of the recorded type.
 */
const ACTIVE_PARTS = `
  SELECT type || ' "' || name || '"' FROM sqlite_master
  WHERE (type = 'table' AND sql LIKE 'CREATE TABLE %'
    OR type = 'index' AND (sql IS NULL OR sql LIKE 'CREATE INDEX %' OR sql LIKE 'CREATE UNIQUE INDEX %')) IS NOT TRUE
  UNION ALL
  SELECT 'a generated column of "' || part.name || '"'
  FROM sqlite_master AS part JOIN pragma_table_xinfo(part.name) AS field
  WHERE part.type = 'table' AND field.hidden <> 0
  LIMIT 1`;

/**
 * Verifies the integrity and the schema of a database file.
 * @returns the names of its migrations
 * @throws StartupError if the file is damaged or not a database of this program
 */
async function checked(file: string): Promise<string[]> {
  return SqliteFile.use(file, "read", async (database) => {
    const [fault] = await database.values("PRAGMA integrity_check(1)");
    if (fault !== "ok") throw new StartupError(`${file} is damaged: ${String(fault).replaceAll("\n", " ")}`);
    if ((await database.values("PRAGMA foreign_key_check")).length > 0) {
      throw new StartupError(`${file} is damaged: a row refers to a missing row`);
    }
    const [tables] = await database.values(
      "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('migration', 'organization')",
    );
    if (tables !== 2) throw new StartupError(`${file} is not a database of this program`);
    const [active] = await database.values(ACTIVE_PARTS);
    if (active !== undefined) {
      throw new StartupError(`${file} contains ${active}, which this program never creates`);
    }
    return (await database.values("SELECT name FROM migration ORDER BY id")).map(String);
  });
}

function assertKnown(file: string, migrations: readonly string[]): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = migrations.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new StartupError(
      `${file} was created by a newer or unreleased version of this program (${unknown}). Use that version`,
    );
  }
}

/** Flushes a file or folder to disk. */
function sync(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
