import { execFile } from "node:child_process";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import sqlite3 from "sqlite3";
import { v7 as uuid } from "uuid";

const DIST = new URL("../../dist/src/", import.meta.url);
const product = (path) => createRequire(import.meta.url)(fileURLToPath(new URL(path, DIST)));
const { hashToken, mintApiKey } = product("credentials/token-format.js");
const { searchTextOf } = product("features/api-keys/key-search.js");

const ORGANIZATIONS = 10;
const ROWS_A_STATEMENT = 1_000;

/**
 * Creates a database with the product's own migrations, and fills it with pets and with agents that have one key each.
 * The database does not change, because servers work on copies.
 * @param store the databases, as created by `sqliteStore` and `postgresStore`
 * @param more adds more rows; called with a function that runs statements, and the IDs of the agents
 */
export async function makeData(store, { name, pets, keys, more }) {
  const url = await store.create(name);
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL("cli/main.js", DIST)), "migrate"], {
    env: { ...process.env, DATABASE_URL: url },
  });
  const { secrets, refused } = await store.fill(name, async (run) => {
    await run("BEGIN");
    const made = await insertKeys(run, keys);
    await run(store.insertPets(pets));
    await more?.(run, made.agents);
    await run("COMMIT");
    return made;
  });
  const keysFile = join(store.directory, `${name}-keys.json`);
  await writeFile(keysFile, JSON.stringify(secrets));
  let copies = 0;
  return {
    /** Data for the load generator. */
    facts: { pets, keysFile, keys },
    secrets,
    refused,
    /** Creates a copy of the database; returns its `url`, and `drop`, which drops it. */
    async copy() {
      const copy = `${name}_${++copies}`;
      return { url: await store.copy(name, copy), drop: () => store.drop(copy) };
    },
  };
}

/** @returns the secrets of `count` valid keys, the agents' IDs, and the secret and status of some rejected keys */
async function insertKeys(run, count) {
  const now = new Date().toISOString();
  const organization = (i, deactivatedAt = null) => ({
    id: uuid(),
    slug: `org-${i}`,
    name: `Organization ${i}`,
    deactivated_at: deactivatedAt,
    created_at: now,
  });
  const agent = (i, { id }) => ({
    id: uuid(),
    organization_id: id,
    slug: `agent-${i}`,
    name: `Agent ${i}`,
    created_at: now,
  });
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, i) => organization(i + 1));
  const agents = Array.from({ length: count }, (_, i) => agent(i + 1, organizations[i % ORGANIZATIONS]));
  const closed = organization("closed", now);
  const idle = agent("closed", closed);

  const keys = [];
  const mint = ({ id, organization_id }, name, end = {}) => {
    const { secret, hint } = mintApiKey("live");
    keys.push({
      id: uuid(),
      organization_id,
      agent_id: id,
      name,
      held_name: name,
      hint,
      search_text: searchTextOf({ name, hint }),
      hash: hashToken(secret),
      created_at: now,
      created_by: "command line",
      expires_at: null,
      revoked_at: null,
      ...end,
    });
    return secret;
  };
  const secrets = agents.map((each) => mint(each, "Load"));
  const refused = [
    { status: 401, secret: mintApiKey("live").secret },
    { status: 401, secret: mint(idle, "Closed") },
    { status: 401, secret: mint(agents[0], "Expired", { expires_at: now }) },
    { status: 403, secret: mint(agents[0], "Revoked", { revoked_at: now, held_name: null }) },
  ];
  await insertRows(run, "organization", [...organizations, closed]);
  await insertRows(run, "agent", [...agents, idle]);
  await run(
    `INSERT INTO line (id, agent_id, name, kind, state, expire_after_seconds, when_uncertain, is_default, version, created_at)
     SELECT id, id, 'main', 'local', 'active', 259200, 'retry', true, 1, created_at FROM agent`,
    [],
  );
  await run(
    `INSERT INTO configuration_version (agent_id, version, document, digest, published_at, published_by)
     SELECT id, 1, '{"format":1}', '', created_at, 'gateway' FROM agent`,
    [],
  );
  await insertRows(run, "api_key", keys);
  return { secrets, refused, agents: agents.map(({ id }) => id) };
}

/**
 * Inserts rows with the same columns.
 * @param run runs a statement with its values
 */
export async function insertRows(run, table, rows) {
  const columns = Object.keys(rows[0]);
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) {
    const some = rows.slice(at, at + ROWS_A_STATEMENT);
    let n = 0;
    const places = some.map(() => `(${columns.map(() => `$${++n}`)})`);
    const values = some.flatMap((row) => columns.map((column) => row[column]));
    await run(`INSERT INTO ${table} (${columns}) VALUES ${places}`, values);
  }
}

const insertPetsFrom = (numbers) => `
  INSERT INTO pet (name, category_id, status)
  SELECT 'Pet ' || i, (i - 1) % 10 + 1,
    CASE i % 4 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' WHEN 2 THEN 'pending' ELSE NULL END
  FROM ${numbers} ORDER BY i`;

/** Databases in files of a directory. */
export function sqliteStore(directory) {
  const fileOf = (name) => join(directory, `${name}.sqlite`);
  return {
    engine: "sqlite",
    directory,
    create: async (name) => `sqlite:${fileOf(name)}`,
    async fill(name, work) {
      const database = await new Promise((resolve, reject) => {
        const opened = new sqlite3.Database(fileOf(name), (error) =>
          error ? reject(error) : resolve(opened),
        );
      });
      try {
        return await work(promisify(database.run.bind(database)));
      } finally {
        // Closing checkpoints the database, so that one file contains all of it.
        await promisify(database.close.bind(database))();
      }
    },
    insertPets: (count) =>
      insertPetsFrom(`(WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})
      SELECT i FROM numbers)`),
    async copy(from, to) {
      await copyFile(fileOf(from), fileOf(to));
      return `sqlite:${fileOf(to)}`;
    },
    async drop(name) {
      for (const suffix of ["", "-wal", "-shm"]) await rm(fileOf(name) + suffix, { force: true });
    },
  };
}

/**
 * Databases of a PostgreSQL server.
 * @param url URL without a database, as returned by `startPostgres`
 */
export function postgresStore(directory, url) {
  const connected = async (name, work) => {
    const client = new pg.Client({ connectionString: `${url}/${name}` });
    await client.connect();
    try {
      return await work((sql, values) => client.query(sql, values));
    } finally {
      await client.end();
    }
  };
  const create = async (name, more = "") => {
    await connected("postgres", (run) => run(`CREATE DATABASE ${name} ${more}`));
    return `${url}/${name}`;
  };
  return {
    engine: "postgres",
    directory,
    create,
    fill: (name, work) =>
      connected(name, async (run) => {
        const result = await work(run);
        // Autovacuum would do this over time.
        await run("VACUUM ANALYZE");
        return result;
      }),
    insertPets: (count) => insertPetsFrom(`generate_series(1, ${count}) AS numbers (i)`),
    copy: (from, to) => create(to, `TEMPLATE ${from}`),
    drop: (name) => connected("postgres", (run) => run(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}
