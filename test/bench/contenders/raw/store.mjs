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

/** @param url as in DATABASE_URL */
export const openStore = (url) =>
  url.startsWith("sqlite:") ? openSqlite(url.slice("sqlite:".length)) : openPostgres(url);

function openSqlite(file) {
  const database = new (require("better-sqlite3"))(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  const prepare = (sql) => database.prepare(sql.replace(/\$\d/g, "?"));
  const [key, byId, list, listByStatus, insert] = [KEY, BY_ID, LIST, LIST_BY_STATUS, INSERT].map(prepare);
  return {
    keyByHash: (hash) => key.get(hash),
    petById: (id) => byId.get(id),
    pets: (after, limit, status) =>
      status == null ? list.all(after, limit) : listByStatus.all(after, status, limit),
    createPet: ({ name, categoryId, status }) => insert.get(name, categoryId, status ?? null).id,
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
    close: () => pool.end(),
  };
}
