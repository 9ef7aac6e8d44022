// The process that generates the load, controlled by generator.mjs.
import { readFileSync } from "node:fs";
import { createHistogram } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { CONTENDERS } from "../contenders/contenders.mjs";
import { cpuMicros, cpuMicrosOfFamily, forgetPeak, peakKibibytes } from "../process-usage.mjs";
import { pick, seeded } from "../random.mjs";
import { WORKLOADS } from "../workloads.mjs";
import { encodeRequest, keepBusy } from "./connection.mjs";

/** Number of requests to prepare for a workload whose requests need not all differ. */
const PREPARED = 20_000;

/** Max time to extend a turn until a response arrives (ms). */
const MAX_WAIT_MS = 30_000;

/** The contender whose request format is used for all contenders that are not listed. */
const [PRODUCT] = CONTENDERS;

const prepared = new Map();

/** Returns a function that always returns the next request of a workload, in a contender's format. */
function requests(task) {
  const { contender, workload, port, data, turn } = task;
  if (WORKLOADS[workload].fresh) return maker(task);
  const name = [contender, workload, port, data.keysFile, data.keys].join();
  if (!prepared.has(name)) {
    // Requests that were prepared for stopped servers are not needed again.
    if (prepared.size > 20) prepared.clear();
    prepared.set(name, Array.from({ length: Math.max(PREPARED, data.keys) }, maker({ ...task, turn: 0 })));
  }
  const list = prepared.get(name);
  let i = Math.floor(seeded(turn)() * list.length);
  return () => list[i++ % list.length];
}

function maker({ contender, workload, port, data, turn }) {
  const { api, draw } = WORKLOADS[workload];
  const { apis } = CONTENDERS.find(({ name }) => name === contender) ?? PRODUCT;
  const spelling = apis[api];
  const random = seeded(turn);
  const keys = JSON.parse(readFileSync(data.keysFile, "utf8")).slice(0, data.keys);
  const host = `127.0.0.1:${port}`;
  return () => {
    const { status, begins, ...request } = spelling.request(draw(random, data));
    return { bytes: encodeRequest(request, pick(random, keys), host), status, begins };
  };
}

function usage({ pid, databasePid }) {
  const own = process.cpuUsage();
  return {
    at: performance.now(),
    cpu: cpuMicros(pid),
    databaseCpu: databasePid && cpuMicrosOfFamily(databasePid),
    loadCpu: own.user + own.system,
  };
}

/**
 * Puts load on a server, and measures it after the lead-in.
 * @param task.turn determines the first request in the list, or the random draw
 * @param task.seconds time to measure; or `task.requests`, the number of requests to send and measure
 */
async function load(task) {
  const { port, pid, connections, lead = 0, seconds, requests: limit = Number.POSITIVE_INFINITY } = task;
  const next = requests(task);
  const histogram = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
  let running = true;
  let measuring = lead === 0;
  let sent = 0;
  let answered = 0;
  const send = () => {
    if (!running || sent >= limit) return undefined;
    sent++;
    return next();
  };
  const seen = (milliseconds) => {
    if (!measuring) return;
    answered++;
    histogram.record(Math.max(1, Math.round(milliseconds * 1000)));
  };
  let before = usage(task);
  const all = Promise.all(Array.from({ length: connections }, () => keepBusy(port, send, seen)));
  try {
    if (!measuring) {
      await Promise.race([all, setTimeout(lead * 1000)]);
      forgetPeak(pid);
      before = usage(task);
      measuring = true;
    }
    do {
      await (seconds === undefined ? all : Promise.race([all, setTimeout(seconds * 1000)]));
    } while (answered === 0 && performance.now() - before.at < MAX_WAIT_MS);
    measuring = false;
    const after = usage(task);
    running = false;
    await all;
    return summary({ before, after, answered, histogram, peak: peakKibibytes(pid) });
  } finally {
    // After a failure, the other connections end with their next response.
    running = false;
  }
}

function summary({ before, after, answered, histogram, peak }) {
  if (answered === 0) throw new Error("not one answer in time");
  const ms = (percent) => histogram.percentile(percent) / 1000;
  const each = (name) => (after[name] === undefined ? undefined : (after[name] - before[name]) / answered);
  const [cpu, databaseCpu] = [each("cpu"), each("databaseCpu")];
  return {
    requests: answered,
    perSecond: (answered * 1000) / (after.at - before.at),
    p50: ms(50),
    p99: ms(99),
    p999: ms(99.9),
    cpu,
    databaseCpu,
    allCpu: databaseCpu && cpu + databaseCpu,
    loadCpu: each("loadCpu"),
    memory: peak === undefined ? undefined : peak / 1024,
  };
}

process.on("message", async (task) => {
  try {
    process.send({ result: await load(task) });
  } catch (error) {
    process.send({ failure: `${task.contender}, ${task.workload}: ${error.message}` });
  }
});
process.on("disconnect", () => process.exit(0));
