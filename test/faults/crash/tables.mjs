import { promisify } from "node:util";
import pg from "pg";
import sqlite3 from "sqlite3";

/** The rows that a run checks, read without using the service's code. */
const QUERIES = {
  pets: "SELECT CAST(id AS TEXT) AS id, name, CAST(category_id AS TEXT) AS category_id, status FROM pet",
  messages:
    "SELECT id, agent_id, message, status, error_code, direction, provider_id, conversation_id, sequence, sent_at, decision_id, author, is_urgent, topic, send_at, proposed_text FROM message ORDER BY sequence, id",
  decisions: "SELECT id, situation, contact_id, conversation_id, state, outcome, explanation FROM decision",
  timers: "SELECT id FROM timer",
  addresses: "SELECT contact_id, address FROM contact_address",
  conversations: "SELECT id, contact_id FROM conversation",
  tags: "SELECT contact_id, tag FROM contact_tag",
  matches: "SELECT subject_id, rule_id FROM rule_match",
  contacts: "SELECT id, version FROM contact",
  events: "SELECT id, agent_id, position, type, data FROM event ORDER BY agent_id, position",
  streams: "SELECT agent_id, last FROM agent_stream",
  unseen: `SELECT stream.agent_id FROM agent_stream stream JOIN webhook_cursor seen ON seen.agent_id = stream.agent_id
    WHERE seen.position < stream.last`,
  attempts: "SELECT message_id, number, outcome, code, started_at, ended_at FROM delivery_attempt",
  lanes: "SELECT id, lease FROM lane",
  keys: "SELECT id, agent_id, name, hash, revoked_at, expires_at, replaced_by_id FROM api_key",
  audit:
    "SELECT action, target_id FROM audit_entry WHERE action LIKE 'api_key_%' AND action <> 'api_key_refused'",
  records: "SELECT scope, key, resource_id FROM idempotency_record",
  organizations: "SELECT id FROM organization",
  agents: "SELECT id FROM agent",
  members: "SELECT id FROM member",
};

async function readAll(query) {
  const tables = {};
  for (const [name, sql] of Object.entries(QUERIES)) tables[name] = await query(sql);
  return tables;
}

/** Returns the statement that expires the given leases, or all leases by default. */
const expireLeases = (held) =>
  `UPDATE lane SET lease_until = '2000-01-01T00:00:00.000Z', wake_at = '2000-01-01T00:00:00.000Z'
   WHERE lease ${held ? `IN (${held.map((lease) => `'${lease}'`).join() || "''"})` : "IS NOT NULL"}`;

export async function expireSqliteLeases(file, held) {
  const database = new sqlite3.Database(file);
  const run = promisify(database.run.bind(database));
  try {
    await run("PRAGMA busy_timeout = 5000");
    await run(expireLeases(held));
  } finally {
    await promisify(database.close.bind(database))();
  }
}

export async function expirePostgresLeases(url, held) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(expireLeases(held));
  } finally {
    await client.end();
  }
}

/** Returns all tables of a SQLite file, and the complaints of its own checks: `{ …rows, complaints }`. */
export async function sqliteTables(file) {
  const database = new sqlite3.Database(file);
  const query = promisify(database.all.bind(database));
  try {
    await query("PRAGMA busy_timeout = 5000");
    const integrity = await query("PRAGMA integrity_check");
    const orphans = await query("PRAGMA foreign_key_check");
    const complaints = [
      ...integrity.map((row) => row.integrity_check).filter((said) => said !== "ok"),
      ...orphans.map((row) => `foreign key: ${JSON.stringify(row)}`),
    ];
    return { ...(await readAll(query)), complaints };
  } finally {
    await promisify(database.close.bind(database))();
  }
}

/** Returns all tables of a PostgreSQL database, which enforces its constraints itself. */
export async function postgresTables(url) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return { ...(await readAll(async (sql) => (await client.query(sql)).rows)), complaints: [] };
  } finally {
    await client.end();
  }
}
