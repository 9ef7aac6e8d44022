import type { DataSource } from "typeorm";
import { StartupError } from "../errors";

/** Returns a database's URL without credentials: `sqlite:<file>` or `postgres://<host>:<port>/<database>`. */
export function databaseLabel({ options }: DataSource): string {
  if (options.type !== "postgres") return `${options.type}:${options.database}`;
  const { host, pathname } = new URL(options.url ?? "");
  return `postgres://${host}${pathname}`;
}

/** Runs a startup step; any failure becomes a StartupError that names the database. */
export const starting = <T>(source: DataSource, work: () => Promise<T>): Promise<T> =>
  explaining(() => `cannot use the database ${databaseLabel(source)}`, work);

/** Runs work; any failure becomes a StartupError with a message. */
export async function explaining<T>(message: () => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(message(), { cause });
  }
}
