import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { targetOf } from "../measure.mjs";
import { ask, PROBED } from "../probe.mjs";
import { startServer } from "../server.mjs";
import { median } from "../stats.mjs";

/** Number of streams whose events are timed; events of the other streams are only counted. */
const READ = 20;
/** Pause between two messages to a server that is otherwise idle (ms). */
const PAUSE_MS = 20;
/** Max time until all streams have all events (ms). */
const LIMIT_MS = 120_000;

/**
 * Measures events from their commit to Server-Sent Events clients: how many reach 1, 100 and 1,000 streams of one agent
 * while messages are queued at full speed, their latency at a slow pace, and the memory of an idle stream.
 */
export async function events({ product, data, generator, options, say }) {
  const env = { ...product.env, DELIVERY_WORKERS: "0", MAX_CONNECTIONS_PER_ADDRESS: "0" };
  const server = await startServer({ ...product, env }, await data.copy(), PROBED);
  try {
    // One key, so that all messages belong to the agent that the streams follow.
    const target = targetOf(server, { ...data, facts: { ...data.facts, keys: 1 } });
    const [key] = data.secrets;
    const rows = [];
    for (const clients of options.quick ? [1, 100] : [1, 100, 1_000]) {
      say(`${clients} streams`);
      rows.push({ clients, ...(await follow({ server, target, key, clients, generator, options })) });
    }
    return { connections: options.connections[0], rows, idle: await idleMemory(server, key, options) };
  } finally {
    await server.stop();
  }
}

async function follow({ server, target, key, clients, generator, options }) {
  const streams = await Promise.all(
    Array.from({ length: clients }, (_, i) => openStream(server, key, i < READ)),
  );
  try {
    const from = performance.now();
    const seconds = options.quick ? 1 : 4;
    await generator.load({
      ...target,
      workload: "rest-send",
      connections: options.connections[0],
      seconds,
      turn: 0,
    });
    await caughtUp(streams);
    const took = (performance.now() - from) / 1000;
    const events = streams[0].events;
    for (const stream of streams) stream.times.length = 0;
    const count = options.quick ? 50 : 200;
    for (let sent = 0; sent < count; sent++) {
      await send(server, key);
      await sleep(PAUSE_MS);
    }
    await caughtUp(streams);
    const times = streams.flatMap(({ times }) => times).sort((a, b) => a - b);
    return {
      perSecond: events / took,
      sentPerSecond: (events * clients) / took,
      median: median(times),
      p99: times[Math.floor(times.length * 0.99)],
    };
  } finally {
    for (const { socket } of streams) socket.destroy();
  }
}

/** Measures the memory of a stream: the growth of the heap and of external memory after garbage collection. */
async function idleMemory(server, key, { quick }) {
  const count = quick ? 200 : 2_000;
  const before = await ask(server, "memory");
  const streams = [];
  for (let i = 0; i < count; i++) streams.push(await openStream(server, key, false));
  // Wait until garbage from opening the streams is gone.
  await sleep(2_000);
  const after = await ask(server, "memory");
  for (const { socket } of streams) socket.destroy();
  const each = (name) => (after[name] - before[name]) / count;
  return { count, heap: each("heapUsed") + each("external") };
}

/**
 * Opens a stream.
 * @param reads true to record the latency of each event (ms)
 */
function openStream({ port }, key, reads) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const stream = { socket, events: 0, times: [] };
    let rest = "";
    let isOpen = false;
    socket.setEncoding("latin1");
    socket.once("error", reject);
    socket.on("data", (text) => {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        if (!isOpen && block.includes("retry:")) {
          isOpen = true;
          resolve(stream);
        }
        if (!block.includes("\ndata: ")) continue;
        stream.events += 1;
        if (reads) stream.times.push(Date.now() - Date.parse(/"timestamp":"([^"]+)"/.exec(block)[1]));
      }
    });
    socket.write(
      `GET /agent/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`,
    );
  });
}

/** Waits until all streams have the same number of events and no more arrive. */
async function caughtUp(streams) {
  let last = -1;
  for (const giveUpAt = Date.now() + LIMIT_MS; Date.now() < giveUpAt; ) {
    const all = streams.map(({ events }) => events);
    const least = Math.min(...all);
    if (least === Math.max(...all) && least === last) return;
    last = least;
    await sleep(100);
  }
  throw new Error("events did not arrive in time");
}

async function send({ port }, key) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ message: "Hello" });
  const { ok } = await fetch(`http://127.0.0.1:${port}/messages`, { method: "POST", headers, body });
  if (!ok) throw new Error("a message was not accepted");
}
