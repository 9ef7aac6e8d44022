import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { makeData, postgresStore } from "../data.mjs";
import { startPostgres } from "../postgres.mjs";
import { cpuMicrosOfChildren } from "../process-usage.mjs";
import { startServer } from "../server.mjs";

const CLI = fileURLToPath(new URL("../../../dist/src/cli/main.js", import.meta.url));
const CONVERSATIONS = 1_000;
/** The number of concurrent messages, and the pause after each (ms): either 0, or longer than a batch waits. */
const LOADS = { "one by one": { at: 1, pauseMs: 100 }, "64 at a time": { at: 64, pauseMs: 0 } };
const LINES = { local: "main", webhook: "hook" };
const STATUS = { local: "delivered", webhook: "sent" };
const LIMIT_MS = 120_000;

/**
 * Measures the cost of a message in a conversation on PostgreSQL, from the request that queues it to its delivery:
 * statements, written rows, WAL and CPU time. It uses a separate server, which counts statements.
 */
export async function cost({ product, store: { directory }, options, say }) {
  const postgres = await startPostgres(["-c", "shared_preload_libraries=pg_stat_statements"]);
  const receiver = http.createServer((request, response) => request.resume().on("end", () => response.end()));
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  let server;
  let observer;
  try {
    const data = await makeData(postgresStore(directory, postgres.url), { name: "cost", pets: 10, keys: 1 });
    const database = await data.copy();
    const env = {
      // Allows webhook lines at http URLs.
      ENVIRONMENT: "development",
      ACCEPT_KEY_ENVIRONMENTS: "production",
      ALLOW_PRIVATE_TARGETS: "127.0.0.0/8",
      INSTANCE_KEY: randomBytes(32).toString("base64"),
    };
    const cli = (...args) =>
      promisify(execFile)(process.execPath, [CLI, ...args], {
        env: { ...process.env, ...env, DATABASE_URL: database.url },
      });
    const url = `http://127.0.0.1:${receiver.address().port}/`;
    const agent = ["--agent", "agent-1"];
    await cli("lines", "create", ...agent, "--name", "hook", "--kind", "webhook", "--url", url);
    const rows = [
      "--contacts",
      `${CONVERSATIONS}`,
      "--conversations",
      `${CONVERSATIONS}`,
      "--messages",
      "1000",
    ];
    for (const line of Object.values(LINES)) await cli("seed", ...agent, "--line", line, ...rows);
    observer = await observing(database.url);
    server = await startServer({ ...product, env: { ...product.env, ...env } }, database);
    const key = data.secrets[0];
    const results = [];
    for (const [kind, line] of Object.entries(LINES)) {
      const ids = await observer.conversationsOn(line);
      const send = sender(server.port, key, ids);
      for (const [title, load] of Object.entries(LOADS)) {
        const messages = options.quick ? 100 : load.at === 1 ? 300 : 3_000;
        say(`${kind}, ${title}`);
        await run(send, observer, { ...load, messages: Math.min(messages, 300), status: STATUS[kind] });
        // Measured after a first run, because the first change of a page after a checkpoint writes the whole page.
        const [before, cpuBefore] = [await observer.read(), cpuMicrosOfChildren(postgres.pid)];
        await run(send, observer, { ...load, messages, status: STATUS[kind] });
        const [after, cpuAfter] = [await observer.read(), cpuMicrosOfChildren(postgres.pid)];
        const each = (name) => (after[name] - before[name]) / messages;
        results.push({
          kind,
          title,
          messages,
          statements: each("statements"),
          transactions: each("transactions"),
          rows: each("rows"),
          walBytes: each("wal"),
          fullPageBytes: each("fullPages"),
          cpuMicros: usedBetween(cpuBefore, cpuAfter) / messages,
        });
      }
    }
    return { results };
  } finally {
    await observer?.close();
    await server?.stop();
    receiver.close();
    receiver.closeAllConnections();
    await postgres.stop();
  }
}

/** Returns the CPU time of processes, except processes that have exited, such as a vacuum. */
const usedBetween = (before, after) =>
  [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0);

/** Reads the server's counters as another role, whose own statements are not counted. */
async function observing(databaseUrl) {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query("CREATE EXTENSION pg_stat_statements");
  await admin.query("CREATE ROLE observer SUPERUSER LOGIN PASSWORD 'observer'");
  await admin.end();
  const url = new URL(databaseUrl);
  Object.assign(url, { username: "observer", password: "observer" });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const one = async (sql, values) => (await client.query(sql, values)).rows[0];
  return {
    conversationsOn: async (line) => {
      const { rows } = await client.query(
        "SELECT conversation.id FROM conversation JOIN line ON line.id = line_id WHERE line.name = $1",
        [line],
      );
      return rows.map(({ id }) => id);
    },
    count: async (status) =>
      Number((await one("SELECT count(*) AS n FROM message WHERE status = $1", [status])).n),
    read: async () => {
      const row = await one(
        `SELECT sum(calls) FILTER (WHERE query !~* '^(begin|commit|start transaction)') AS statements,
           sum(calls) FILTER (WHERE query ~* '^commit') AS transactions,
           sum(rows) FILTER (WHERE query ~* '^\\s*(insert|update|delete|with)') AS rows,
           pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal,
           (SELECT wal_fpi * 8192 FROM pg_stat_wal) AS "fullPages"
         FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid WHERE rolname <> 'observer'`,
      );
      return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
    },
    close: () => client.end(),
  };
}

/** @returns a function that queues a message in the next conversation */
function sender(port, key, ids) {
  const agent = new http.Agent({ keepAlive: true });
  const body = JSON.stringify({ message: "Your order is on its way." });
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  let next = 0;
  return () =>
    new Promise((resolve, reject) => {
      const path = `/agent/conversations/${ids[next++ % ids.length]}/messages`;
      const request = http.request({ port, agent, method: "POST", path, headers }, (response) => {
        response.resume().on("end", () => {
          if (response.statusCode === 201) resolve();
          else reject(new Error(`${path} answered ${response.statusCode}`));
        });
      });
      request.on("error", reject).end(body);
    });
}

/** Queues messages and waits until all of them have been sent. */
async function run(send, observer, { messages, at, pauseMs, status }) {
  const goal = (await observer.count(status)) + messages;
  let left = messages;
  const work = async () => {
    while (left-- > 0) {
      await send();
      if (pauseMs > 0) await pause(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: at }, work));
  for (const giveUpAt = Date.now() + LIMIT_MS; (await observer.count(status)) < goal; await pause(200))
    if (Date.now() > giveUpAt) throw new Error("messages were not delivered in time");
}
