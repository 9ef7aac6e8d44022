// A thread that is independent of the attack's busy thread. It acts as the client with a valid key, sends a modest load
// of different requests, and observes the server's process from outside.
import { readdirSync } from "node:fs";
import { Agent, get, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { cpuMicros, peakKibibytes, residentKibibytes } from "../bench/process-usage.mjs";
import { now } from "./figures.mjs";

const PER_SECOND = 40;
const TIMEOUT_MS = 10_000;
const SAMPLE_INTERVAL_MS = 100;
const METRICS_INTERVAL_MS = 500;

const { port, managementPort, metricsToken, pid, key } = workerData;

const graphql = (query, variables) => ({ method: "POST", path: "/graphql", body: { query, variables } });
const REQUESTS = [
  { path: "/v1/pets" },
  { path: "/agent/whoami" },
  graphql("query Start { whoami { agent { slug } } pets(first: 10) { nodes { id name status } } }"),
  { path: "/v1/pets?status=sold&limit=5" },
  { method: "POST", path: "/messages", body: { message: "Hello" } },
  graphql("query Inbox($first: Int) { messages(first: $first) { nodes { id text } } }", { first: 5 }),
];

// Keeps few idle connections, because each is an open file of the server, and open files are counted.
const agent = new Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 4 });
/**
 * The requests, ordered by due time. Each has `at` and, once it has ended, `status` (0 if there was no response) and
 * `ms`.
 */
const requests = [];
const samples = [];
let inFlight;
let running = true;

function ask({ method = "GET", path, body }, record) {
  const json = body && JSON.stringify(body);
  const finish = (status) => {
    record.status = status;
    record.ms = now() - record.at;
  };
  // GraphQL has a status for each error only with its own media type.
  const headers = { authorization: `Bearer ${key}`, accept: "application/graphql-response+json, */*" };
  if (json)
    Object.assign(headers, { "content-type": "application/json", "content-length": Buffer.byteLength(json) });
  const request = httpRequest({ host: "127.0.0.1", port, agent, method, path, headers });
  request.once("close", () => clearTimeout(timer));
  const timer = setTimeout(() => request.destroy(new Error("no answer in time")), TIMEOUT_MS);
  request.once("error", () => finish(0));
  request.once("response", (response) => {
    response.resume();
    response.once("error", () => {});
    response.once("close", () => finish(response.complete ? response.statusCode : 0));
  });
  request.end(json);
}

async function load() {
  const from = now();
  while (running) {
    const due = Math.floor(((now() - from) * PER_SECOND) / 1000);
    while (requests.length < due) {
      const record = { at: from + (requests.length * 1000) / PER_SECOND };
      ask(REQUESTS[requests.length % REQUESTS.length], record);
      requests.push(record);
    }
    await sleep(5);
  }
}

const openFiles = () => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
};

async function sample() {
  while (running) {
    samples.push({
      at: now(),
      resident: residentKibibytes(pid),
      peak: peakKibibytes(pid),
      cpu: cpuMicros(pid),
      openFiles: openFiles(),
      inFlight,
    });
    await sleep(SAMPLE_INTERVAL_MS);
  }
}

const scrape = () =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${metricsToken}` };
    get({ host: "127.0.0.1", port: managementPort, path: "/metrics", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.once("close", () => resolve(/^gateway_http_requests_in_flight (\d+)$/m.exec(text)?.[1]));
    }).once("error", () => resolve(undefined));
  });

async function watchInFlight() {
  while (running) {
    const found = await scrape();
    // The scrape itself is also in flight.
    if (found !== undefined) inFlight = Number(found) - 1;
    await sleep(METRICS_INTERVAL_MS);
  }
}

parentPort.on("message", (message) => {
  if (message === "records") {
    parentPort.postMessage({ requests, samples });
    return;
  }
  running = false;
  agent.destroy();
  parentPort.close();
});

load();
sample();
watchInFlight();
