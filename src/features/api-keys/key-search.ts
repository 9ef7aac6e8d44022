import type { SelectQueryBuilder } from "typeorm";
import { DAY_MS, timestamp } from "../../common/time";
import { type ApiKey, ApiKeyKind, ApiKeyState } from "./api-key.entity";

/** Folds case in JavaScript, because the databases differ: SQLite's `lower` handles only ASCII. */
const fold = (text: string): string => text.normalize("NFC").toLowerCase();

/** Returns a key's searchable text: its name and hint on separate lines. */
export const searchTextOf = ({ name, hint }: Pick<ApiKey, "name" | "hint">): string =>
  fold(`${name}\n${hint}`);

/** Limits a query to keys whose name or hint contains the text (case-insensitive); blank text matches all keys. */
export function narrowToText(query: SelectQueryBuilder<ApiKey>, text: string): void {
  const pattern = fold(text.trim()).replace(/[\\%_]/g, "\\$&");
  query.andWhere(`${query.alias}.search_text LIKE :pattern ESCAPE '\\'`, { pattern: `%${pattern}%` });
}

/** SQL conditions for each kind of key. They require the table alias `key`. */
export const OF_KIND: Record<ApiKeyKind, string> = {
  [ApiKeyKind.agent]: "key.agent_id IS NOT NULL",
  [ApiKeyKind.organization]: "key.agent_id IS NULL",
};

/** SQL conditions for each state of a key. They require the table alias `key` and the parameter `now`. */
export const IN_STATE: Record<ApiKeyState, string> = {
  [ApiKeyState.active]: "key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > :now)",
  [ApiKeyState.revoked]: "key.revoked_at IS NOT NULL",
  [ApiKeyState.expired]: "key.revoked_at IS NULL AND key.expires_at <= :now",
};

/** Limits a query with the alias `key` to active, unreplaced keys that expire within a number of days. */
export const narrowToExpiring = (
  query: SelectQueryBuilder<ApiKey>,
  days: number,
): SelectQueryBuilder<ApiKey> =>
  query
    .andWhere(IN_STATE[ApiKeyState.active], { now: timestamp() })
    .andWhere("key.replaced_by_id IS NULL AND key.expires_at <= :until", { until: timestamp(days * DAY_MS) });
