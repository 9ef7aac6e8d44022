import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import sqlite3 from "sqlite3";
import { driverCode } from "../engine";
import { WAITS } from "../limits";

/** SQLite's online backup; the driver has no types for it. */
interface Backup {
  step(pages: number, done: (error: Error | null, completed: boolean) => void): void;
  finish(done: (error: Error | null) => void): void;
}

type Connection = sqlite3.Database & {
  backup(
    file: string,
    own: string,
    other: string,
    fileIsCopy: boolean,
    done: (error: Error | null) => void,
  ): Backup;
};

/** A connection to an SQLite file, for operations on the whole file. */
export class SqliteFile {
  private constructor(private readonly connection: Connection) {}

  /** Opens an existing file, runs work on it and closes it. */
  static async use<T>(
    file: string,
    mode: "read" | "write",
    work: (file: SqliteFile) => Promise<T>,
  ): Promise<T> {
    const flags = mode === "read" ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE;
    const connection = await new Promise<Connection>((resolve, reject) => {
      const opened = new sqlite3.Database(file, flags, (error) =>
        error === null ? resolve(opened as Connection) : reject(error),
      );
    });
    connection.configure("busyTimeout", WAITS.writer);
    try {
      return await work(new SqliteFile(connection));
    } finally {
      await new Promise<void>((done) => connection.close(() => done()));
    }
  }

  async run(statement: string, parameters: readonly unknown[] = []): Promise<void> {
    await this.rows(statement, parameters);
  }

  /** Returns the first column of the first row. */
  async value(query: string): Promise<unknown> {
    const [value] = await this.values(query);
    return value;
  }

  /** Returns the first column of each row. */
  async values(query: string): Promise<unknown[]> {
    return (await this.rows(query)).map((row) => Object.values(row)[0]);
  }

  /** Replaces the entire contents with the contents of another file, in one transaction. */
  async replaceWith(file: string): Promise<void> {
    const backup = await new Promise<Backup>((resolve, reject) => {
      const started: Backup = this.connection.backup(file, "main", "main", false, (error) =>
        error === null ? resolve(started) : reject(error),
      );
    });
    try {
      const completed = await new Promise<boolean>((resolve, reject) => {
        backup.step(-1, (error, isComplete) => (error === null ? resolve(isComplete) : reject(error)));
      });
      if (!completed) throw new Error("could not finish the copy");
    } finally {
      await new Promise<void>((done) => backup.finish(() => done()));
    }
  }

  /** Returns the rows of a query. */
  rows(statement: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) => {
      this.connection.all<Record<string, unknown>>(statement, parameters, (error, rows) =>
        error === null ? resolve(rows) : reject(error),
      );
    });
  }
}

/** Creates a database file and its folder if missing, and restricts the file, which has secrets, to its owner. */
export function restrictToOwner(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  // SQLite creates its logs with the file's mode, but a killed process may have left some with another mode.
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) setOwnerMode(each);
}

function setOwnerMode(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    // EPERM: the file belongs to another user; its mode is that user's responsibility.
    if (!["ENOENT", "EPERM"].includes(driverCode(error) ?? "")) throw error;
  }
}
