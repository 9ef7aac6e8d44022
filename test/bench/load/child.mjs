// The process that makes the load; see generator.mjs for who talks to it.
import { readFileSync } from "node:fs";
import { createHistogram } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { CONTENDERS } from "../contenders/contenders.mjs";
import { cpuMicros, cpuMicrosOfChildren, forgetPeak, peakKibibytes } from "../process-usage.mjs";
import { pick, seeded } from "../random.mjs";
import { WORKLOADS } from "../workloads.mjs";
import { encodeRequest, keepBusy } from "./connection.mjs";

/** How many requests are prepared for a workload whose requests need not all differ. */
const PREPARED = 20_000;

/** Requests of a workload in the spelling of a contender, one after the other without end. */
function requests({ contender, workload, port, data, seed }) {
  const { door, draw, fresh } = WORKLOADS[workload];
  const spelling = CONTENDERS.find(({ name }) => name === contender).doors[door];
  const random = seeded(seed);
  const keys = JSON.parse(readFileSync(data.keysFile, "utf8"));
  const host = `127.0.0.1:${port}`;
  const make = () => {
    const request = spelling.request(draw(random, data));
    return {
      bytes: encodeRequest(request, pick(random, keys), host),
      status: request.status,
      begins: request.begins,
    };
  };
  if (fresh) return make;
  const list = Array.from({ length: PREPARED }, make);
  let i = 0;
  return () => list[i++ % PREPARED];
}

function usage({ pid, databasePid }) {
  return {
    at: performance.now(),
    cpu: cpuMicros(pid),
    databaseCpu: databasePid && cpuMicrosOfChildren(databasePid),
  };
}

/**
 * Loads a server and measures the part after the lead-in.
 * @param task.seconds how long to measure; or `task.requests`, how many to send, all of them measured
 */
async function load(task) {
  const { port, pid, connections, lead = 0, seconds, requests: limit = Number.POSITIVE_INFINITY } = task;
  const next = requests(task);
  const histogram = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
  let running = true;
  let measuring = false;
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
  const all = Promise.all(Array.from({ length: connections }, () => keepBusy(port, send, seen)));
  try {
    await Promise.race([all, setTimeout(lead * 1000)]);
    forgetPeak(pid);
    const before = usage(task);
    measuring = true;
    await Promise.race(seconds === undefined ? [all] : [all, setTimeout(seconds * 1000)]);
    measuring = false;
    const after = usage(task);
    running = false;
    await all;
    return summary({ before, after, answered, histogram, peak: peakKibibytes(pid) });
  } finally {
    // After a failure the other connections end with their next answer.
    running = false;
  }
}

function summary({ before, after, answered, histogram, peak }) {
  if (answered === 0) throw new Error("not one answer in time");
  const ms = (percent) => histogram.percentile(percent) / 1000;
  const each = (name) => (after[name] === undefined ? undefined : (after[name] - before[name]) / answered);
  return {
    requests: answered,
    perSecond: (answered * 1000) / (after.at - before.at),
    p50: ms(50),
    p99: ms(99),
    p999: ms(99.9),
    cpu: each("cpu"),
    databaseCpu: each("databaseCpu"),
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
