import type { SelectQueryBuilder } from "typeorm";
import type { ApiKey } from "./api-key.entity";

/** Lower case by one rule: each database has its own, and SQLite's knows no letters but a to z. */
const fold = (text: string): string => text.normalize("NFC").toLowerCase();

/** A key's name and hint as they are kept for searching; neither holds a line break. */
export const searchTextOf = ({ name, hint }: Pick<ApiKey, "name" | "hint">): string =>
  fold(`${name}\n${hint}`);

/** Narrows a query to keys that hold a text in their name or hint, in any case; a blank one is in all of them. */
export function narrowToText(query: SelectQueryBuilder<ApiKey>, text: string): void {
  const pattern = fold(text.trim()).replace(/[\\%_]/g, "\\$&");
  query.andWhere(`${query.alias}.search_text LIKE :pattern ESCAPE '\\'`, { pattern: `%${pattern}%` });
}
