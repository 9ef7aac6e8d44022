import type { DataSource } from "typeorm";

/** Returns a database's URL without credentials: `sqlite:<file>` or `postgres://<host>:<port>/<database>`. */
export function databaseLabel({ options }: DataSource): string {
  if (options.type !== "postgres") return `${options.type}:${options.database}`;
  const { host, pathname } = new URL(options.url ?? "");
  return `postgres://${host}${pathname}`;
}
