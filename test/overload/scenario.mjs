import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { CONTENDERS } from "../bench/contenders/contenders.mjs";
import { cpuMicrosOfFamily, forgetPeak } from "../bench/process-usage.mjs";
import { seeded } from "../bench/random.mjs";
import { startServer } from "../bench/server.mjs";
import { freePort } from "../support/free-port.mjs";
import { brokenBounds, clientFigures, last, most, now, recoveryMs } from "./figures.mjs";
import { createTraffic } from "./traffic.mjs";

const SEED = 20_261_121;
const WARM_UP_MS = 1_000;
const QUIET_MS = 2_000;
/** Time for responses to requests that were due in the quiet time, before the attack starts (ms). */
const GAP_MS = 500;
const RECOVERY_TIMEOUT_MS = 20_000;
/** A response within this time (ms), or twice the client's wait before the attack, counts as recovered. */
const SOON_MS = 250;
/** Time for a recovered server to close files and free memory (ms). */
const SETTLE_MS = 1_000;
const METRICS_TOKEN = "metrics-of-the-overload-test";

/** The max of each figure, unless an attack expects a different max. */
const BOUNDS = {
  clientRejected: 0,
  clientFailed: 0,
  clientUnanswered: 0,
  addedP99Ms: 2_000,
  peakMebibytes: 400,
  recoveryMs: 5_000,
};

/**
 * Attacks a server that is serving a client with a valid key, on a copy of the data.
 * @param attack a module of attacks/
 * @param data as returned by the benchmark's `makeData`
 * @param options.seconds max duration of the attack
 * @param options.databasePid PostgreSQL's process, whose CPU time is also measured
 * @returns the `figures` of the client and the server, and the attack's `own` figures, both by name; the attack's
 *   `totals`; the `ending`, which says how the server ended, if it did; and the `broken` bounds, one line each
 */
export async function runAttack(attack, data, { seconds, databasePid }) {
  const { environment = {}, nodeFlags = [], prepare, measure } = attack;
  const [{ flags = [], ...product }] = CONTENDERS;
  const managementPort = await freePort();
  const database = await data.copy();
  const prepared = await prepare?.({ url: database.url, secrets: data.secrets });
  const server = await startServer(
    {
      ...product,
      flags: [...flags, ...nodeFlags],
      env: { OPERATIONS_PORT: String(managementPort), METRICS_TOKEN, ...environment },
    },
    database,
  );
  const { port, pid, child } = server;
  const [key, attackersKey] = data.secrets;
  const observer = observe({ port, managementPort, metricsToken: METRICS_TOKEN, pid, key });
  try {
    const ready = await attack.start?.({ port, key: attackersKey, prepared });
    await setTimeout(WARM_UP_MS);
    const quietFrom = now();
    await setTimeout(QUIET_MS);
    const quietTo = now();
    await setTimeout(GAP_MS);
    forgetPeak(pid);
    const databaseCpu = () => (databasePid === undefined ? 0 : cpuMicrosOfFamily(databasePid));
    const databaseCpuBefore = databaseCpu();
    const from = now();
    const traffic = createTraffic({ port, seconds });
    let during;
    try {
      during = await attack.run(traffic, { key: attackersKey, random: seeded(SEED), prepared, ready });
    } finally {
      traffic.close();
    }
    const to = now();
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    const times = { quietFrom, quietTo, from, to };
    await recovery(observer, times, isRunning);
    await setTimeout(SETTLE_MS);
    const totals = traffic.totals();
    const figures = inspect(await observer.records(), times);
    const observedMs = now() - from;
    const databaseCpuSeconds = (databaseCpu() - databaseCpuBefore) / 1e6;
    Object.assign(figures, { databaseCpuSeconds, observedSeconds: observedMs / 1000 });
    // Includes the time after the attack, because work continues after its client has disconnected. Excludes the cost
    // of the requests of the client with a valid key, as measured in the quiet time.
    const clientCpuSeconds = (figures.quietCpuSeconds * observedMs) / (quietTo - quietFrom);
    const attackCpuSeconds = Math.max(0, figures.cpuSeconds - clientCpuSeconds) + databaseCpuSeconds;
    figures.attackCpuMs = (attackCpuSeconds * 1000) / totals.sent;
    const own = { ...during, ...(await measure?.({ url: database.url, totals, ready })) };
    return {
      figures,
      own,
      totals,
      ending: isRunning() ? undefined : (child.signalCode ?? `exit code ${child.exitCode}`),
      broken: brokenBounds({ ...figures, ...own }, { ...BOUNDS, ...attack.expect }),
    };
  } finally {
    observer.stop();
    await server.stop();
  }
}

/** @param times there was no attack between `quietFrom` and `quietTo`, and one between `from` and `to` */
function inspect({ requests, samples }, { quietFrom, quietTo, from, to }) {
  const quiet = clientFigures(requests, quietFrom, quietTo);
  const client = clientFigures(requests, from, to);
  const end = Number.POSITIVE_INFINITY;
  const mebibytes = (kibibytes) => kibibytes / 1024;
  const cpuSeconds = (since, until) => (last(samples, "cpu", until) - last(samples, "cpu", since)) / 1e6;
  const quietOpenFiles = last(samples, "openFiles", from);
  return {
    clientOk: client.ok,
    clientRejected: client.rejected,
    clientFailed: client.failed,
    clientUnanswered: client.unanswered,
    quietP50Ms: quiet.p50,
    quietP99Ms: quiet.p99,
    p50Ms: client.p50,
    p99Ms: client.p99,
    addedP99Ms: client.p99 - quiet.p99,
    quietMebibytes: mebibytes(last(samples, "resident", from)),
    peakMebibytes: mebibytes(most(samples, "peak", from, end)),
    leftMebibytes: mebibytes(last(samples, "resident", end)),
    quietCpuSeconds: cpuSeconds(quietFrom, quietTo),
    cpuSeconds: cpuSeconds(from, end),
    quietOpenFiles,
    peakOpenFiles: most(samples, "openFiles", from, end),
    openFilesLeft: last(samples, "openFiles", end) - quietOpenFiles,
    peakInFlight: most(samples, "inFlight", from, end),
    recoveryMs: recoveryMs(requests, to, Math.max(SOON_MS, 2 * quiet.p99)),
  };
}

/** Waits until the client is served as before the attack, the server has ended, or it takes too long. */
async function recovery(observer, times, isRunning) {
  const until = now() + RECOVERY_TIMEOUT_MS;
  while (now() < until && isRunning()) {
    if (inspect(await observer.records(), times).recoveryMs !== undefined) return;
    await setTimeout(200);
  }
}

function observe(workerData) {
  const worker = new Worker(new URL("observer.mjs", import.meta.url), { workerData });
  return {
    records: () =>
      new Promise((resolve) => {
        worker.once("message", resolve);
        worker.postMessage("records");
      }),
    stop: () => worker.postMessage("stop"),
  };
}
