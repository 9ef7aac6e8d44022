import { createRequire } from "node:module";

// Raw SQL on the product's tables, for the contenders without an ORM: better-sqlite3 with prepared statements, or
// pg with a pool and named prepared statements. The methods are synchronous on SQLite and return promises on PostgreSQL.

const require = createRequire(import.meta.url);

const KEY = `
  SELECT k.id, k.name, k.hint, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
    a.id AS "agentId", a.slug AS "agentSlug", a.name AS "agentName", o.id AS "organizationId",
    o.slug AS "organizationSlug", o.name AS "organizationName", o.deactivated_at AS "deactivatedAt"
  FROM api_key k JOIN agent a ON a.id = k.agent_id JOIN organization o ON o.id = a.organization_id
  WHERE k.hash = $1`;
const PET = 'SELECT id, name, category_id AS "categoryId", status FROM pet';
const BY_ID = `${PET} WHERE id = $1`;
const LIST = `${PET} WHERE id > $1 ORDER BY id LIMIT $2`;
const LIST_BY_STATUS = `${PET} WHERE id > $1 AND status = $2 ORDER BY id LIMIT $3`;
const INSERT = "INSERT INTO pet (name, category_id, status) VALUES ($1, $2, $3) RETURNING id";
/** `$2` is a JSON object with `count` and `ip` by key. */
const COUNT_USES = `
  INSERT INTO hourly_use (key_id, hour, accepted, refused)
  SELECT key, $1, CAST(value ->> 'count' AS integer), 0 FROM json_each($2) AS used WHERE true
  ON CONFLICT (key_id, hour) DO UPDATE SET accepted = hourly_use.accepted + excluded.accepted`;
const NOTE_LAST_USES = `
  UPDATE api_key SET last_used_at = $1, last_used_ip = value ->> 'ip' FROM json_each($2) AS used
  WHERE api_key.id = used.key AND (last_used_at IS NULL OR last_used_at <= $3)`;

/** @param url as in DATABASE_URL */
export const openStore = (url) =>
  url.startsWith("sqlite:") ? openSqlite(url.slice("sqlite:".length)) : openPostgres(url);

function openSqlite(file) {
  const database = new (require("better-sqlite3"))(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  const prepare = (sql) => database.prepare(sql.replace(/\$\d/g, "?"));
  const [key, byId, list, listByStatus, insert] = [KEY, BY_ID, LIST, LIST_BY_STATUS, INSERT].map(prepare);
  const [countUses, noteLastUses] = [COUNT_USES, NOTE_LAST_USES].map(prepare);
  return {
    keyByHash: (hash) => key.get(hash),
    petById: (id) => byId.get(id),
    pets: (after, limit, status) =>
      status == null ? list.all(after, limit) : listByStatus.all(after, status, limit),
    createPet: ({ name, categoryId, status }) => insert.get(name, categoryId, status ?? null).id,
    recordUses: database.transaction(({ uses, hour, now, rested }) => {
      countUses.run(hour, uses);
      noteLastUses.run(now, uses, rested);
    }),
    close: () => database.close(),
  };
}

function openPostgres(connectionString) {
  const { Pool, types } = require("pg");
  types.setTypeParser(types.builtins.INT8, Number);
  const pool = new Pool({ connectionString, max: 10 });
  const query = async (name, text, values) => (await pool.query({ name, text, values })).rows;
  return {
    keyByHash: async (hash) => (await query("key", KEY, [hash]))[0],
    petById: async (id) => (await query("pet", BY_ID, [id]))[0],
    pets: (after, limit, status) =>
      status == null
        ? query("pets", LIST, [after, limit])
        : query("petsByStatus", LIST_BY_STATUS, [after, status, limit]),
    createPet: async ({ name, categoryId, status }) =>
      (await query("create", INSERT, [name, categoryId, status ?? null]))[0].id,
    async recordUses({ uses, hour, now, rested }) {
      await query("countUses", COUNT_USES, [hour, uses]);
      await query("noteLastUses", NOTE_LAST_USES, [now, uses, rested]);
    },
    close: () => pool.end(),
  };
}
