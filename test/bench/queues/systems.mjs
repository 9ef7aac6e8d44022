import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { QUEUES } from "../contenders/queues.mjs";
import { makeData } from "../data.mjs";
import { startServer } from "../server.mjs";
import { insertConversations } from "./conversations.mjs";
import { openReader } from "./reader.mjs";
import { startRedis } from "./redis.mjs";

const CONVERSATIONS = 1_000;
/** Number of messages to queue concurrently. */
export const CONCURRENCY = 32;
const POLL_MS = 10;
const LIMIT_MS = 60_000;

/** Creates a database of the product with conversations, and the environment of its servers. */
export async function makeConversations(store, receiver) {
  let made;
  const more = async (run, [agentId]) => {
    made = await insertConversations(run, agentId, { count: CONVERSATIONS, url: receiver.url });
  };
  const data = await makeData(store, { name: "queues", pets: 1, keys: 1, more });
  const env = {
    ENVIRONMENT: "staging",
    ACCEPT_KEY_ENVIRONMENTS: "production",
    ALLOW_PRIVATE_TARGETS: "127.0.0.0/8",
    INSTANCE_KEY: randomBytes(32).toString("base64"),
  };
  return { ...made, data, env };
}

/**
 * Starts the product as two systems, its webhook line and its local line. One process delivers, and another one queues
 * messages while the first is stopped.
 * @returns the systems by name, and a function that stops their processes
 */
export async function startProduct({ product, made, workers, receiver, databasePid, start = {} }) {
  const { data, env, lines, conversations } = made;
  const database = await data.copy();
  const started = (DELIVERY_WORKERS, options) =>
    startServer(
      { ...product, env: { ...product.env, ...env, DELIVERY_WORKERS } },
      { ...database, drop: () => {} },
      options,
    );
  const worker = await started(String(workers), start);
  const intake = await started("0");
  const reader = await openReader(database.url);
  const [key] = data.secrets;
  const target = ({ port }) => ({
    module: "product-producer.mjs",
    target: { port, key },
    conversations: conversations.webhook,
  });
  const isIdle = async () => (await reader.rows("SELECT 1 FROM lane LIMIT 1", [])).length === 0;
  const shared = {
    worker,
    databasePid,
    producing: target(worker),
    producingBacklog: target(intake),
    // On SQLite, a server is not notified of messages that another process has queued.
    wake: () => wake(worker, key),
    isIdle,
  };
  return {
    systems: {
      webhook: { ...shared, receiver },
      local: {
        ...shared,
        producing: { ...shared.producing, conversations: conversations.local },
        producingBacklog: { ...shared.producingBacklog, conversations: conversations.local },
        receiver: localReceiver(reader, lines.local),
      },
    },
    async stop() {
      await reader.close();
      await worker.stop();
      await intake.stop();
      await database.drop();
    },
  };
}

async function wake({ port }, key) {
  const { status } = await fetch(`http://127.0.0.1:${port}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "Hello" }),
  });
  if (status !== 201) throw new Error(`POST /messages answered ${status}`);
}

/** Reports the messages that a local line has delivered, like a receiver; latencies count from acceptance. */
const localReceiver = (reader, lineId) => ({
  async expect(count) {
    const since = new Date().toISOString();
    const all = "line_id = $1 AND conversation_id IS NOT NULL AND created_at >= $2 AND status = 'delivered'";
    return async () => {
      for (const giveUpAt = Date.now() + LIMIT_MS; ; await setTimeout(POLL_MS)) {
        const [{ n }] = await reader.rows(`SELECT count(*) AS n FROM message WHERE ${all}`, [lineId, since]);
        if (Number(n) >= count) break;
        if (Date.now() > giveUpAt) throw new Error("the local line did not deliver in time");
      }
      const rows = await reader.rows(
        `SELECT created_at AS queued, delivered_at AS delivered FROM message WHERE ${all}`,
        [lineId, since],
      );
      const times = rows.map(({ queued, delivered }) => Date.parse(delivered) - Date.parse(queued));
      times.sort((a, b) => a - b);
      const last = Math.max(...rows.map(({ delivered }) => Date.parse(delivered)));
      const percentile = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
      const at = process.hrtime.bigint() - BigInt(Math.max(0, Date.now() - last)) * 1_000_000n;
      return { at, repeated: 0, p50: percentile(0.5), p99: percentile(0.99) };
    };
  },
});

/**
 * Starts the job queues.
 * @param names names of the queues
 * @param postgres as returned by `startPostgres`
 */
export async function startQueues({ names, postgresStore, postgres, workers, receiver, conversations }) {
  const systems = {};
  const stops = [];
  const stop = async () => {
    for (const each of stops) await each();
  };
  try {
    for (const queue of QUEUES.filter(({ name }) => names.includes(name))) {
      const { database, fsync, options, producer } = queue;
      const redis = database === "redis" ? await startRedis(fsync) : undefined;
      if (redis) stops.unshift(redis.stop);
      const name = `${queue.name.replace("-", "_")}_${workers}`;
      const url = redis?.url ?? (await postgresStore.create(name));
      const producing = {
        module: `../contenders/${producer}`,
        target: { url, connections: CONCURRENCY, ...options },
        conversations: conversations.webhook,
      };
      const env = { DELIVERY_WORKERS: String(workers), RECEIVER_URL: receiver.url };
      const worker = await startServer({ ...queue, env }, { url, drop: () => {} });
      stops.unshift(() => worker.stop());
      systems[queue.name] = {
        worker,
        databasePid: redis?.pid ?? postgres.pid,
        producing,
        producingBacklog: producing,
        wake: () => {},
        isIdle: () => true,
        receiver,
      };
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { systems, stop };
}
