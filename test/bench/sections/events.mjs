import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { targetOf } from "../measure.mjs";
import { ask, PROBED } from "../probe.mjs";
import { cpuMicros } from "../process-usage.mjs";
import { startServer } from "../server.mjs";
import { median } from "../stats.mjs";

/** Number of streams whose events are timed; events of the other streams are only counted. */
const READ = 20;
/**
 * Groups of streams: the number of clients that read, and of clients that never do (`stalled`). The messages are first
 * a `load` of this duration or number, then a `calm` number on an otherwise idle server, with pauses between them (ms).
 */
const GROUPS = [
  { clients: 1, load: { seconds: 4 }, calm: { count: 200, pauseMs: 20 } },
  { clients: 100, load: { seconds: 4 }, calm: { count: 200, pauseMs: 20 } },
  { clients: 100, stalled: 100, load: { seconds: 4 }, calm: { count: 200, pauseMs: 20 } },
  { clients: 1_000, load: { seconds: 4 }, calm: { count: 200, pauseMs: 20 } },
  { clients: 10_000, load: { requests: 200 }, calm: { count: 20, pauseMs: 1_000 } },
];
const QUICK_GROUPS = [
  { clients: 1, load: { seconds: 1 }, calm: { count: 50, pauseMs: 20 } },
  { clients: 100, stalled: 10, load: { seconds: 1 }, calm: { count: 50, pauseMs: 20 } },
];
/** Number of streams opened at the same time. */
const OPENED_TOGETHER = 20;
/** Max time until all streams have all events (ms). */
const LIMIT_MS = 120_000;

/**
 * Measures events from their commit to Server-Sent Events clients: how many reach 1 to 10,000 streams of one agent while
 * messages are queued at full speed, with and without clients that never read; the CPU time per event; the latency at a
 * slow pace; and the memory of an idle stream.
 */
export async function events({ product, data, generator, options, say }) {
  const env = {
    ...product.env,
    DELIVERY_WORKERS: "0",
    MAX_CONNECTIONS: "20000",
    MAX_CONNECTIONS_PER_ADDRESS: "0",
    // One organization can use half of them.
    MAX_STREAMS: "30000",
  };
  const server = await startServer({ ...product, env }, await data.copy(), PROBED);
  try {
    // One key, so that all messages belong to the agent that the streams follow.
    const target = targetOf(server, { ...data, facts: { ...data.facts, keys: 1 } });
    const [key] = data.secrets;
    // Measured first, before the load leaves garbage.
    const idle = await idleMemory(server, key, options);
    const rows = [];
    for (const group of options.quick ? QUICK_GROUPS : GROUPS) {
      const { clients, stalled = 0 } = group;
      say(`${clients} streams${stalled > 0 ? ` and ${stalled} that never read` : ""}`);
      rows.push({ clients, stalled, ...(await follow({ server, target, key, group, generator, options })) });
    }
    return { connections: options.connections[0], rows, idle };
  } finally {
    await server.stop();
  }
}

async function follow({
  server,
  target,
  key,
  group: { clients, stalled = 0, load, calm },
  generator,
  options,
}) {
  const streams = await openStreams(server, key, clients);
  const stalledStreams = await openStreams(server, key, stalled);
  for (const { socket } of stalledStreams) socket.pause();
  try {
    const cpuBefore = cpuMicros(server.pid);
    const from = performance.now();
    await generator.load({
      ...target,
      workload: "rest-send",
      connections: options.connections[0],
      turn: 0,
      ...load,
    });
    await caughtUp(streams);
    const took = (performance.now() - from) / 1000;
    const cpu = cpuBefore === undefined ? undefined : cpuMicros(server.pid) - cpuBefore;
    const events = streams[0].events;
    for (const stream of streams) stream.times.length = 0;
    for (let sent = 0; sent < calm.count; sent++) {
      await send(server, key);
      await sleep(calm.pauseMs);
    }
    await caughtUp(streams);
    const times = streams.flatMap(({ times }) => times).sort((a, b) => a - b);
    return {
      perSecond: events / took,
      sentPerSecond: (events * clients) / took,
      cpu: cpu === undefined ? undefined : cpu / (events * clients),
      median: median(times),
      p99: times[Math.floor(times.length * 0.99)],
    };
  } finally {
    for (const { socket } of [...streams, ...stalledStreams]) socket.destroy();
  }
}

/** Measures the memory of a stream: the growth of the heap and of external memory after garbage collection. */
async function idleMemory(server, key, { quick }) {
  const count = quick ? 200 : 2_000;
  // The first streams load and compile code.
  for (const { socket } of await openStreams(server, key, count / 10)) socket.destroy();
  await sleep(2_000);
  const before = await ask(server, "memory");
  const streams = await openStreams(server, key, count);
  // Wait until garbage from opening the streams is gone.
  await sleep(2_000);
  const after = await ask(server, "memory");
  for (const { socket } of streams) socket.destroy();
  const each = (name) => (after[name] - before[name]) / count;
  return { count, heap: each("heapUsed") + each("external") };
}

/** Opens streams; the first `READ` record the latency of each event. */
async function openStreams(server, key, count) {
  const streams = [];
  for (let i = 0; i < count; i += OPENED_TOGETHER) {
    const together = Array.from({ length: Math.min(OPENED_TOGETHER, count - i) }, (_, j) =>
      openStream(server, key, i + j < READ),
    );
    streams.push(...(await Promise.all(together)));
  }
  return streams;
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
        if (!block.includes('"timestamp":"')) continue;
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
