import type { DataSource } from "typeorm";

/** Names a database for people: `sqlite:<file>` or `postgres://<host>:<port>/<database>`, never a password. */
export function databaseLabel({ options }: DataSource): string {
  if (options.type !== "postgres") return `${options.type}:${options.database}`;
  const { host, pathname } = new URL(options.url ?? "");
  return `postgres://${host}${pathname}`;
}
