// `npm run test:attacks -- [attack…]`: what a valid key's client sees while one machine, without a
// key, attacks the HTTP layer, and what the server holds. `--dist <folder>` measures another build; `DATABASE_URL` takes
// another database than a new SQLite file.
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { forgetPeak, peakKibibytes, residentKibibytes } from "../bench/process-usage.mjs";

const SECONDS = 5;
const METRICS_TOKEN = "a-token-for-the-attacks-alone";
const HOST = "Host: localhost\r\n";
const JSON_HEADERS = `${HOST}Content-Type: application/json\r\n`;

/** Opens a connection that passes over errors: to be hung up on is what an attacker expects. */
const open = (port, onData = () => undefined) => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).on("data", onData);
  return socket;
};

/** Keeps one request at a time on the way on each of so many connections until the time is up; reconnects. */
const flood = async (port, connections, request, until, afterSend = () => undefined) => {
  let sent = 0;
  const sockets = new Set();
  const start = () => {
    if (performance.now() > until) return;
    const socket = open(port, () => send());
    const send = () => {
      if (performance.now() > until) return;
      sent++;
      socket.write(request, () => afterSend(socket));
    };
    sockets.add(socket);
    socket.on("connect", send).on("close", () => {
      sockets.delete(socket);
      start();
    });
  };
  for (let i = 0; i < connections; i++) start();
  await sleep(until - performance.now());
  for (const socket of sockets) socket.destroy();
  return sent;
};

const VIEWER = `/docs/viewer.js HTTP/1.1\r\n${HOST}Accept-Encoding: gzip\r\n\r\n`;

const ATTACKS = {
  pipelining: async (port, until) => {
    const requests = `GET /agent/whoami HTTP/1.1\r\n${HOST}\r\n`.repeat(20_000);
    const sockets = Array.from({ length: 120 }, () => open(port));
    for (const socket of sockets) socket.pause().write(requests);
    await sleep(until - performance.now());
    return { sockets };
  },
  "half-sent bodies": async (port, until) => {
    const head = `POST /graphql HTTP/1.1\r\n${JSON_HEADERS}Content-Length: 1048576\r\n\r\n`;
    const body = Buffer.alloc(1_048_575, " ");
    const sockets = Array.from({ length: 800 }, () => open(port));
    for (const socket of sockets) {
      socket.write(head);
      socket.write(body);
    }
    await sleep(until - performance.now());
    return { sockets };
  },
  "viewer aborted": async (port, until) => ({
    sent: await flood(port, 20, `GET ${VIEWER}`, until, (socket) => setTimeout(() => socket.destroy(), 20)),
  }),
  "viewer by HEAD": async (port, until) => ({ sent: await flood(port, 50, `HEAD ${VIEWER}`, until) }),
  "nested arrays": async (port, until) => {
    const body = "[".repeat(524_288) + "]".repeat(524_288);
    const request = `POST /graphql HTTP/1.1\r\n${JSON_HEADERS}Content-Length: ${body.length}\r\n\r\n${body}`;
    return { sent: await flood(port, 4, request, until) };
  },
  "many nested arrays": async (port, until) => {
    const body = `[${Array(Math.floor(1_048_570 / 3))
      .fill("[]")
      .join()}]`;
    const request = `POST /graphql HTTP/1.1\r\n${JSON_HEADERS}Content-Length: ${body.length}\r\n\r\n${body}`;
    return { sent: await flood(port, 4, request, until) };
  },
};

/** The client of a valid key: one request at a time, on a connection that it keeps. */
async function beClient({ url, key }) {
  let seen = { statuses: {}, times: [] };
  parentPort.on("message", () => {
    parentPort.postMessage(seen);
    seen = { statuses: {}, times: [] };
  });
  for (;;) {
    const from = performance.now();
    const status = await fetch(`${url}/agent/whoami`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(10_000),
    }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      (error) => error.cause?.code ?? error.name,
    );
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    seen.times.push(performance.now() - from);
    await sleep(10);
  }
}

const at = (times, share) =>
  Math.round(times.sort((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN);

const openFiles = async (pid) => (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;

async function startServer(dist, databaseUrl) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(dist, "src/main.js")], {
    env: { PATH, HOME, PORT: "0", DATABASE_URL: databaseUrl, LOG_LEVEL: "error", METRICS_TOKEN },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes("/graphql\n")) break;
  }
  const [, url] = / at (http\S+)\/graphql\n/.exec(said);
  const [, key = process.env.API_KEY] = /^ *API key +(\S+) /m.exec(said) ?? [];
  return { child, url, key, port: Number(new URL(url).port) };
}

async function run(name, dist) {
  const folder = await mkdtemp(join(tmpdir(), "attack-"));
  const databaseUrl = process.env.DATABASE_URL ?? `sqlite:${join(folder, "db.sqlite")}`;
  const { child, url, key, port } = await startServer(dist, databaseUrl);
  let exited = false;
  child.once("exit", () => {
    exited = true;
  });
  const client = new Worker(new URL(import.meta.url), { workerData: { url, key } });
  const report = () =>
    new Promise((done) => {
      client.once("message", done);
      client.postMessage("report");
    });
  await sleep(1_000);
  const before = await report();
  const quiet = residentKibibytes(child.pid);
  forgetPeak(child.pid);
  const { sockets = [], sent } = await ATTACKS[name](port, performance.now() + SECONDS * 1000);
  const during = await report();
  const files = await openFiles(child.pid);
  const metrics = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    signal: AbortSignal.timeout(10_000),
  }).then(
    (response) => response.text(),
    () => "",
  );
  const inFlight = /^gateway_http_requests_in_flight (\d+)/m.exec(metrics)?.[1];
  const peak = peakKibibytes(child.pid);
  for (const socket of sockets) socket.destroy();
  const over = performance.now();
  const recovered = await fetch(`${url}/agent/whoami`, { headers: { authorization: `Bearer ${key}` } }).then(
    ({ status }) => `${status} after ${Math.round(performance.now() - over)} ms`,
    () => "no answer",
  );
  await client.terminate();
  console.log(`${name}${sent === undefined ? "" : ` (${sent} requests)`}
  client     ${JSON.stringify(during.statuses)}, p50 ${at(during.times, 0.5)} ms, p99 ${at(during.times, 0.99)} ms (before: p50 ${at(before.times, 0.5)} ms, p99 ${at(before.times, 0.99)} ms)
  server     ${exited ? "ENDED" : `${Math.round(quiet / 1024)} MiB before, ${Math.round(peak / 1024)} MiB at most; ${inFlight} requests in flight, ${files} open files`}
  after it   ${recovered}`);
  child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
}

if (isMainThread) {
  const { values, positionals } = parseArgs({
    options: { dist: { type: "string", default: "dist" } },
    allowPositionals: true,
  });
  for (const name of positionals.length > 0 ? positionals : Object.keys(ATTACKS))
    await run(name, resolve(values.dist));
  process.exit(0);
} else await beClient(workerData);
