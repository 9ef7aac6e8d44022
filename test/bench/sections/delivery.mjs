import { byTurns, targetOf } from "../measure.mjs";
import { startServer } from "../server.mjs";
import { median } from "../stats.mjs";

const WORKERS = { off: "0", on: "8" };
/** Pause between two messages to a server that is otherwise idle (ms). */
const PAUSE_MS = 10;
/** Max time that a message may wait behind the load (ms). */
const LIMIT_MS = 60_000;

/**
 * Measures what deliveries cost clients that queue messages: `POST /messages` on a server that delivers and on one that
 * does not, in turns. Then measures how long a message waits right after the load and on an idle server.
 */
export async function delivery({ product, data, generator, databasePid, options, say }) {
  const servers = {};
  try {
    for (const [name, workers] of Object.entries(WORKERS)) {
      const contender = { ...product, env: { ...product.env, DELIVERY_WORKERS: workers } };
      servers[name] = await startServer(contender, await data.copy());
    }
    const connections = options.connections[0];
    const load = (server) => ({ ...targetOf(server, data), workload: "rest-send", databasePid });
    const { [connections]: sending } = await byTurns({
      loads: { off: load(servers.off), on: load(servers.on) },
      generator,
      options: { ...options, connections: [connections] },
      say,
    });
    await generator.load({ ...load(servers.on), connections, seconds: options.seconds, turn: 0 });
    const send = sender(servers.on, data.secrets[0]);
    const behindMs = await send();
    const count = options.quick ? 50 : 500;
    const times = [];
    while (times.length < count) times.push(await send());
    times.sort((a, b) => a - b);
    return {
      connections,
      sending,
      behindMs,
      count,
      median: median(times),
      p99: times[Math.floor(count * 0.99)],
    };
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

/** @returns a function that sends a message and returns the time from its acceptance to its delivery (ms) */
function sender({ port }, key) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = async (path, options) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...options })).json();
  return async () => {
    const { id } = await call("/messages", { method: "POST", body: JSON.stringify({ message: "Hello" }) });
    for (const giveUpAt = Date.now() + LIMIT_MS; Date.now() < giveUpAt; ) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const { createdAt, deliveredAt } = await call(`/messages/${id}`);
      if (deliveredAt !== undefined) return Date.parse(deliveredAt) - Date.parse(createdAt);
    }
    throw new Error("a message was not delivered in time");
  };
}
