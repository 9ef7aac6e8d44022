import { openPg } from "./pg.mjs";
import { openSqlite } from "./sqlite.mjs";

/**
 * The database that `DATABASE_URL` names. Each method gives a row, rows or undefined, on PostgreSQL as a promise:
 * `identity(hash)`, `page({ limit, after?, status? })`, `pet(id)`, `createPet({ name, categoryId, status })`.
 * @param {string} url `sqlite:<file>` or `postgres://…`
 */
export const openStore = (url) =>
  url.startsWith("sqlite:") ? openSqlite(url.slice("sqlite:".length)) : openPg(url);
