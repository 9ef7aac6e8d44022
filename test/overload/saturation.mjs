// The behavior of the server under overload. The load is an open loop: requests are due at ten times the rate that was
// served, whether or not there are responses. Fewer are sent, because a request that is due while every connection
// waits for a response is dropped, and the load generator shares the machine with the server: "sent" is the actual
// load.
import { connect } from "node:net";
import { createHistogram } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { CONTENDERS } from "../bench/contenders/contenders.mjs";
import { makeData, sqliteStore } from "../bench/data.mjs";
import { encodeRequest } from "../bench/load/connection.mjs";
import { ResponseReader } from "../bench/load/response-reader.mjs";
import { residentKibibytes } from "../bench/process-usage.mjs";
import { startServer } from "../bench/server.mjs";
import { freePort } from "../support/free-port.mjs";

const CONNECTIONS = 4_000;
const SECONDS = 5;
const TICK_MS = 2;
const QUERY =
  "{ a: pets(first: 100) { nodes { id name categoryId status } } b: pets(first: 100, status: sold) { nodes { id name categoryId status } } }";

const LOADS = {
  "REST, first 20 pets": { method: "GET", path: "/v1/pets" },
  "GraphQL, 200 pets": { method: "POST", path: "/graphql", body: { query: QUERY } },
};

/**
 * Measures and prints both loads, on SQLite.
 * @param directory for temporary files
 */
export async function reportSaturation(directory) {
  const data = await makeData(sqliteStore(directory), { name: "saturation", pets: 10_000, keys: 100 });
  for (const [title, request] of Object.entries(LOADS)) await saturate(title, request, data);
}

async function saturate(title, request, data) {
  const managementPort = await freePort();
  const product = {
    ...CONTENDERS[0],
    env: { OPERATIONS_PORT: String(managementPort), MAX_CONNECTIONS_PER_ADDRESS: "0" },
  };
  const server = await startServer(product, await data.copy());
  const { port, pid } = server;
  const bytes = encodeRequest(request, data.secrets[0], `127.0.0.1:${port}`);
  try {
    await closedLoop(port, bytes, 64, 2);
    const capacity = await closedLoop(port, bytes, 64, 2);
    const before = residentKibibytes(pid);
    const wide = await closedLoop(port, bytes, 256, 2);
    const burst = await burstOf(port, bytes, 1_000);
    const load = await openLoop({ port, managementPort, pid, bytes, rate: capacity.perSecond * 10 });
    const recovery = await recovered(port, bytes);
    console.log(`${title}
  64 connections, closed loop   ${round(capacity.perSecond)} served/s, p99 ${round(capacity.p99)} ms, ${capacity.shed} rejected
  256 connections, closed loop  ${round(wide.perSecond)} served/s, p99 ${round(wide.p99)} ms, ${wide.shed} rejected
  1000 simultaneous connections ${burst.served} served, ${burst.shed} rejected, the last after ${round(burst.ms)} ms
  open loop, ${CONNECTIONS} connections  ${round(load.due)} due/s, ${round(load.sent)} sent/s: ${round(load.served)} served/s, ${round(load.shed)} rejected/s
    served                      p50 ${round(load.p50)} ms, p99 ${round(load.p99)} ms; rejected p99 ${round(load.shedP99)} ms
    /healthz                    ${answers(load.health)}
    /healthz, OPERATIONS_PORT   ${answers(load.managementHealth)}
    memory                      ${mebibytes(before)} MiB before, ${mebibytes(load.peak)} MiB at most
  after it                      an answer of 200 within ${round(recovery.first)} ms, ${recovery.shed} rejected in the second after that`);
  } finally {
    await server.stop();
  }
}

function round(number) {
  return number >= 100 ? Math.round(number) : Math.round(number * 10) / 10;
}

function mebibytes(kibibytes) {
  return Math.round(kibibytes / 1024);
}

/** Opens a connection for one request at a time. */
function open(port, bytes, answered) {
  const reader = new ResponseReader();
  let sentAt;
  const socket = connect({
    host: "127.0.0.1",
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(32 * 1024),
      callback(length, buffer) {
        if (!reader.push(buffer.subarray(0, length))) return true;
        const ms = performance.now() - sentAt;
        answered(connection, reader.status, ms);
        return true;
      },
    },
  });
  socket.on("error", (error) => connection.failed?.(error));
  const connection = {
    ready: new Promise((resolve) => socket.once("connect", resolve)),
    /** @param dueAt the time when the request's latency starts to count */
    send(dueAt = performance.now()) {
      sentAt = dueAt;
      socket.write(bytes);
    },
    close: () => socket.destroy(),
  };
  return connection;
}

function newHistogram() {
  return createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
}

function record(histogram, ms) {
  histogram.record(Math.max(1, Math.round(ms * 1000)));
}

async function closedLoop(port, bytes, count, seconds) {
  const histogram = newHistogram();
  let served = 0;
  let shed = 0;
  let running = true;
  const connections = Array.from({ length: count }, () =>
    open(port, bytes, (connection, status, ms) => {
      if (status === 200) {
        served++;
        record(histogram, ms);
      } else shed++;
      if (running) connection.send();
    }),
  );
  for (const { ready } of connections) await ready;
  const from = performance.now();
  for (const connection of connections) connection.send();
  await setTimeout(seconds * 1000);
  const elapsed = (performance.now() - from) / 1000;
  running = false;
  for (const connection of connections) connection.close();
  return { perSecond: served / elapsed, p99: histogram.percentile(99) / 1000, shed };
}

/** Opens connections simultaneously and sends a request on each. */
async function burstOf(port, bytes, count) {
  const from = performance.now();
  let served = 0;
  let shed = 0;
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve) => {
          const connection = open(port, bytes, (_, status) => {
            if (status === 200) served++;
            else shed++;
            connection.close();
            resolve();
          });
          connection.failed = resolve;
          connection.ready.then(() => connection.send());
        }),
    ),
  );
  return { served, shed, ms: performance.now() - from };
}

async function openLoop({ port, managementPort, pid, bytes, rate }) {
  const served = newHistogram();
  const shed = newHistogram();
  const idle = [];
  let counting = true;
  const connections = Array.from({ length: CONNECTIONS }, () =>
    open(port, bytes, (connection, status, ms) => {
      idle.push(connection);
      if (counting) record(status === 200 ? served : shed, ms);
    }),
  );
  for (const connection of connections) idle.push(await connection.ready.then(() => connection));
  const from = performance.now();
  const watches = [port, managementPort].map(watchHealth);
  let due = 0;
  let sent = 0;
  let peak = 0;
  let looks = 0;
  while (performance.now() - from < SECONDS * 1000) {
    const now = performance.now();
    const until = Math.floor(((now - from) * rate) / 1000);
    // Without an idle connection, requests are dropped instead of sent late.
    for (; due < until; due++) {
      const connection = idle.shift();
      if (connection === undefined) {
        due = until;
        break;
      }
      connection.send(from + (due * 1000) / rate);
      sent++;
    }
    if (looks++ % 50 === 0) peak = Math.max(peak, residentKibibytes(pid) ?? 0);
    await setTimeout(TICK_MS);
  }
  const elapsed = (performance.now() - from) / 1000;
  counting = false;
  const [health, managementHealth] = await Promise.all(watches.map((stop) => stop()));
  for (const connection of connections) connection.close();
  return {
    due: due / elapsed,
    sent: sent / elapsed,
    served: served.count / elapsed,
    shed: shed.count / elapsed,
    p50: served.percentile(50) / 1000,
    p99: served.percentile(99) / 1000,
    shedP99: shed.count === 0 ? 0 : shed.percentile(99) / 1000,
    peak,
    health,
    managementHealth,
  };
}

function answers({ asked, answered, slowest }) {
  return `${answered} of ${asked} answered, slowest ${round(slowest)} ms`;
}

/**
 * Probes `/healthz` ten times a second, on a new connection each time.
 * @returns a function that stops it and returns the result
 */
function watchHealth(port) {
  const bytes = encodeRequest({ method: "GET", path: "/healthz" }, "none", "127.0.0.1");
  const result = { asked: 0, answered: 0, slowest: 0 };
  let running = true;
  const ask = () => {
    const from = performance.now();
    return new Promise((resolve) => {
      const connection = open(port, bytes, (_, status) => {
        if (status === 200) result.answered++;
        result.slowest = Math.max(result.slowest, performance.now() - from);
        connection.close();
        resolve();
      });
      connection.failed = resolve;
      connection.ready.then(() => connection.send());
    });
  };
  const done = (async () => {
    while (running) {
      result.asked++;
      await ask();
      await setTimeout(100);
    }
  })();
  return async () => {
    running = false;
    await done;
    return result;
  };
}

/** Returns the time until a request is served, and the rejections on 64 connections in the second after it. */
async function recovered(port, bytes) {
  const from = performance.now();
  while ((await burstOf(port, bytes, 1)).served === 0) await setTimeout(5);
  const first = performance.now() - from;
  return { first, shed: (await closedLoop(port, bytes, 64, 1)).shed };
}
