import type { DataSource } from "typeorm";
import { explaining } from "../errors";

/** Returns a database's URL without credentials: `sqlite:<file>` or `postgres://<host>:<port>/<database>`. */
export function databaseLabel({ options }: DataSource): string {
  if (options.type !== "postgres") return `${options.type}:${options.database}`;
  const { host, pathname } = new URL(options.url ?? "");
  return `postgres://${host}${pathname}`;
}

/** Runs a startup step; any failure becomes a StartupError that names the database. */
export const starting = <T>(source: DataSource, work: () => Promise<T>): Promise<T> =>
  explaining(`cannot use the database ${databaseLabel(source)}`, work);
