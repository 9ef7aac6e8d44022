import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { promisify } from "node:util";

// Reads and writes the rows of a decision with raw SQL on the product's tables, through the same drivers as the
// product.

const require = createRequire(import.meta.url);

const KEY = `
  SELECT k.id, k.name, k.hint, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
    a.id AS "agentId", a.slug AS "agentSlug", a.name AS "agentName", o.id AS "organizationId",
    o.slug AS "organizationSlug", o.name AS "organizationName", o.deactivated_at AS "deactivatedAt"
  FROM api_key k JOIN agent a ON a.id = k.agent_id JOIN organization o ON o.id = a.organization_id
  WHERE k.hash = $1`;

const CONTACT =
  "SELECT id, ref, name, locale, timezone, attributes FROM contact WHERE agent_id = $1 AND ref = $2";
const TAGS = "SELECT tag FROM contact_tag WHERE contact_id = $1 ORDER BY tag";
const LINE = "SELECT id, name, kind, expire_after_seconds FROM line WHERE agent_id = $1 AND is_default";
const ADDRESSES = "SELECT id, kind FROM contact_address WHERE contact_id = $1 ORDER BY id";
const CONVERSATION = `SELECT id, handler, state, version, last_sequence AS "lastSequence" FROM conversation
  WHERE line_id = $1 AND address_id = $2 AND state = 'open'`;
const INSERT_MESSAGE = `INSERT INTO message (id, agent_id, message, status, author, created_at, expires_at, conversation_id,
  sequence, fence, decision_id) VALUES ($1, $2, $3, 'queued', 'agent', $4, $5, $6, $7, $8, $9)`;
const INSERT_LANE = `INSERT INTO lane (id, agent_id, kind, wake_at) VALUES ($1, $2, 'conversation', $3)
  ON CONFLICT (id) DO UPDATE SET wake_at = excluded.wake_at`;
const UPDATE_CONVERSATION = "UPDATE conversation SET last_sequence = $1, updated_at = $2 WHERE id = $3";
const INSERT_DECISION = `INSERT INTO decision (id, agent_id, contact_id, conversation_id, situation_type, situation,
  snapshot, configuration_version, decider, state, outcome, rule_id, effects, explanation, created_at, decided_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 2, 'rules', 'decided', $8, $9, $10, $11, $12, $12)`;

const NEXT_POSITION = `INSERT INTO agent_stream (agent_id, last) VALUES ($1, $2)
  ON CONFLICT (agent_id) DO UPDATE SET last = agent_stream.last + excluded.last RETURNING last`;
const INSERT_EVENTS = "INSERT INTO event (agent_id, position, id, type, subject, data, created_at) VALUES ";
const EVENT_COLUMNS = 7;

const indexes = (count, after) => Array.from({ length: count }, (_, i) => `$${after + i + 1}`);

/**
 * Returns the statements of one transaction.
 * @param get returns the first row of a statement
 * @param all returns all rows
 */
const rowsOf = ({ get, all, lock }) => ({
  contact: (agentId, ref) => get("contact", CONTACT, [agentId, ref]),
  tags: async (contactId) => (await all("tags", TAGS, [contactId])).map(({ tag }) => tag),
  line: (agentId) => get("line", LINE, [agentId]),
  addresses: (contactId) => all("addresses", ADDRESSES, [contactId]),
  conversation: (lineId, addressId) => get("conversation", `${CONVERSATION}${lock}`, [lineId, addressId]),
  insertMessage: (values) => all("message", INSERT_MESSAGE, values),
  insertLane: (values) => all("lane", INSERT_LANE, values),
  updateConversation: (values) => all("sequence", UPDATE_CONVERSATION, values),
  insertDecision: (values) => all("decision", INSERT_DECISION, values),
  async insertEvents(agentId, subject, events, now) {
    const { last } = await get("position", NEXT_POSITION, [agentId, events.length]);
    const values = events.flatMap(({ type, data }, i) => {
      const position = String(BigInt(last) - BigInt(events.length - 1 - i));
      return [agentId, position, randomUUID(), type, subject, JSON.stringify(data), now];
    });
    const rows = events.map((_, row) => `(${indexes(EVENT_COLUMNS, row * EVENT_COLUMNS)})`);
    await all(`events ${events.length}`, `${INSERT_EVENTS}${rows}`, values);
  },
});

/** @param url as in DATABASE_URL */
export const openStore = (url) =>
  url.startsWith("sqlite:") ? openSqlite(url.slice("sqlite:".length)) : openPostgres(url);

function openSqlite(file) {
  const { Database } = require("sqlite3");
  const connect = () => {
    const connection = new Database(file);
    connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000");
    const statements = new Map();
    return (name, sql, values = []) => {
      let statement = statements.get(name);
      if (statement === undefined) {
        const prepared = connection.prepare(sql);
        statement = promisify(prepared.all.bind(prepared));
        statements.set(name, statement);
      }
      return statement(values);
    };
  };
  // Keys are read on their own connection, because transactions run one by one.
  const [reader, writer] = [connect(), connect()];
  const rows = rowsOf({
    all: writer,
    get: async (...statement) => (await writer(...statement))[0],
    lock: "",
  });
  let last = Promise.resolve();
  return {
    keyByHash: async (hash) => (await reader("key", KEY, [hash]))[0],
    transaction(work) {
      const result = last.then(async () => {
        await writer("begin", "BEGIN IMMEDIATE");
        try {
          const value = await work(rows);
          await writer("commit", "COMMIT");
          return value;
        } catch (error) {
          await writer("rollback", "ROLLBACK");
          throw error;
        }
      });
      last = result.catch(() => {});
      return result;
    },
  };
}

function openPostgres(connectionString) {
  const { Pool } = require("pg");
  const pool = new Pool({ connectionString, max: 10 });
  const all = async (client, name, text, values) => (await client.query({ name, text, values })).rows;
  return {
    keyByHash: async (hash) => (await all(pool, "key", KEY, [hash]))[0],
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const value = await work(
          rowsOf({
            all: (...statement) => all(client, ...statement),
            get: async (...statement) => (await all(client, ...statement))[0],
            lock: " FOR UPDATE",
          }),
        );
        await client.query("COMMIT");
        return value;
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
  };
}
