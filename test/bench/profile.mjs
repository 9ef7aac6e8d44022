import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { targetOf } from "./measure.mjs";
import { ask, PROBED } from "./probe.mjs";
import { byFunction, byPackage } from "./profile-tree.mjs";
import { drain } from "./queues/measure.mjs";
import { startProducer } from "./queues/producer.mjs";
import { startReceiver } from "./queues/receiver.mjs";
import { makeConversations, startProduct } from "./queues/systems.mjs";
import { plainTable } from "./report/format.mjs";
import { startServer } from "./server.mjs";
import { WORKLOADS } from "./workloads.mjs";

const TOP = 40;
const PROFILED_WORKERS = 32;
const PROFILED_MESSAGES = 4_000;
const RESULTS = fileURLToPath(new URL("results/", import.meta.url));

/**
 * Profiles the warmed-up product under each workload, and prints where its main thread spends its time: by function
 * with its callers, and by package, in µs per request. The profiles are kept for Chrome DevTools.
 */
export async function profile({ product, data, store, generator, databasePid, options }) {
  if (options.sections.includes("queues")) await profileDrain({ product, store, databasePid });
  for (const workload of options.workloads) {
    const server = await startServer(product, await data.copy(), PROBED);
    const file = join(RESULTS, `${workload}.cpuprofile`);
    try {
      const task = { ...targetOf(server, data), workload, connections: options.connections[0] };
      await generator.load({ ...task, seconds: 4, turn: 0 });
      await ask(server, "startProfile");
      const { requests, perSecond, cpu } = await generator.load({
        ...task,
        seconds: Math.max(4, options.seconds),
        turn: 1,
      });
      await ask(server, "stopProfile", { file });
      await tell({
        title: `${WORKLOADS[workload].title}: ${Math.round(perSecond)} requests/s`,
        unit: "request",
        count: requests,
        cpu,
        file,
      });
    } finally {
      await server.stop();
    }
  }
}

/** Profiles the delivery of a backlog on webhook lines. */
async function profileDrain({ product, store, databasePid }) {
  const file = join(RESULTS, "queues.cpuprofile");
  const receiver = await startReceiver();
  const producer = startProducer();
  try {
    const made = await makeConversations(store, receiver);
    const { systems, stop } = await startProduct({
      ...{ product, made, workers: PROFILED_WORKERS, receiver, databasePid },
      start: PROBED,
    });
    const system = systems.webhook;
    try {
      await drain({ system, producer, size: { backlog: 1_000 } });
      await ask(system.worker, "startProfile");
      const { perSecond, cpu } = await drain({ system, producer, size: { backlog: PROFILED_MESSAGES } });
      await ask(system.worker, "stopProfile", { file });
      const title = `A backlog of messages on webhook lines: ${Math.round(perSecond)} messages/s`;
      await tell({ title, unit: "message", count: PROFILED_MESSAGES, cpu, file });
    } finally {
      await producer.disconnect();
      await stop();
    }
  } finally {
    await producer.close();
    await receiver.close();
  }
}

/**
 * Prints where a profile's time was spent.
 * @param count number of requests or messages in the profile; each took `cpu` µs
 */
async function tell({ title, unit, count, cpu, file }) {
  const recorded = JSON.parse(await readFile(file, "utf8"));
  const each = (micros) => (micros / count).toFixed(2);
  const functions = byFunction(recorded);
  const busy = functions.reduce((sum, { self }) => sum + self, 0);
  const share = (micros) => `${((micros / busy) * 100).toFixed(1)} %`;
  console.log(
    `\n${title} under the profiler; of ${cpu?.toFixed(0)} µs CPU time a ${unit} the main thread has ${each(busy)}\n`,
  );
  print([
    [`µs/${unit}`, "share", "package"],
    ...byPackage(functions).map(({ name, self }) => [each(self), share(self), name]),
  ]);
  console.log();
  print([
    [`µs/${unit}`, "share", "function, and who calls it most"],
    ...functions
      .slice(0, TOP)
      .map(({ name, self, callers }) => [each(self), share(self), [name, ...callers].join("  <  ")]),
  ]);
  console.log(`\n${file}`);
}

/** Prints a table whose last column, which may be long, is left-aligned. */
function print(rows) {
  const numbers = plainTable(rows.map((row) => ["", ...row.slice(0, -1)]));
  console.log(numbers.map((text, i) => `${text}  ${rows[i].at(-1)}`).join("\n"));
}
