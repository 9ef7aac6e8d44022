// `npm run bench` compares the product with alternatives. README.md describes what is measured and how.
import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installContenders } from "./contenders/install.mjs";
import { makeData, postgresStore, sqliteStore } from "./data.mjs";
import { startGenerator } from "./load/generator.mjs";
import { measure } from "./measure.mjs";
import { readOptions, USAGE, UsageError } from "./options.mjs";
import { pin } from "./pinning.mjs";
import { expectedMinutes, takingPart } from "./plan.mjs";
import { startPostgres } from "./postgres.mjs";
import { profile } from "./profile.mjs";
import { throughputChart } from "./report/chart.mjs";
import { MARK_MEANS } from "./report/format.mjs";
import { circumstances } from "./report/machine.mjs";
import { markdownPage, sectionText, workloadText } from "./report/tables.mjs";
import { commit } from "./sections/commit.mjs";
import { cost } from "./sections/cost.mjs";
import { decisions } from "./sections/decisions.mjs";
import { delivery } from "./sections/delivery.mjs";
import { events } from "./sections/events.mjs";
import { flat } from "./sections/flat.mjs";
import { memory } from "./sections/memory.mjs";
import { queues } from "./sections/queues.mjs";
import { start } from "./sections/start.mjs";
import { middleRun } from "./stats.mjs";
import { WORKLOADS } from "./workloads.mjs";

const PETS = 100_000;
const KEYS = 1_000;
const SECTIONS = { delivery, events, decisions, queues, flat, cost, start, memory, commit };
const RESULTS = fileURLToPath(new URL("results/", import.meta.url));

// Exit handlers clean up everything that was started.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await bench(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 1;
}

async function bench(options) {
  const [product, ...others] = options.contenders;
  if (others.length > 0 || options.sections.includes("commit")) installContenders(others);
  const pinning = options.pinned ? pin() : "Nothing was pinned to cores.";
  const directory = await mkdtemp(join(tmpdir(), "gateway-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const generator = startGenerator();
  const postgres = options.engine === "postgres" ? await startPostgres() : undefined;
  try {
    const store = postgres ? postgresStore(directory, postgres.url) : sqliteStore(directory);
    const data = await makeData(store, { name: "bench", pets: PETS, keys: KEYS });
    const tools = { product, store, data, generator, postgres, databasePid: postgres?.pid, pinning, options };
    if (options.profile) await profile(tools);
    else await compare(tools);
  } finally {
    await generator.close();
    await postgres?.stop();
  }
}

async function compare(tools) {
  const { pinning, options } = tools;
  const from = performance.now();
  console.log(
    `${PETS} pets, ${KEYS} keys, ${options.engine}; this takes about ${Math.ceil(expectedMinutes(options))} minutes.\n${pinning} ${MARK_MEANS}`,
  );
  const run = { circumstances: circumstances(options, pinning), workloads: [], sections: {} };
  const runs = [];
  while (runs.length < options.runs) {
    const byWorkload = {};
    for (const workload of options.workloads) {
      const contenders = takingPart(options, workload);
      const { title } = WORKLOADS[workload];
      const results = await measure({ ...tools, workload, contenders, say: progress(title) });
      const run = options.runs > 1 ? ` (run ${runs.length + 1} of ${options.runs})` : "";
      print(workloadText({ title: `${title}${run}`, results }));
      byWorkload[workload] = results;
    }
    runs.push(byWorkload);
  }
  for (const name of options.workloads) {
    const middle = (connections) => middleRun(runs.map((byWorkload) => byWorkload[name][connections]));
    const results = Object.fromEntries(options.connections.map((each) => [each, middle(each)]));
    run.workloads.push({ name, title: WORKLOADS[name].title, results });
    if (options.runs > 1) print(workloadText(run.workloads.at(-1)));
  }
  for (const name of options.sections) {
    run.sections[name] = await SECTIONS[name]({ ...tools, say: progress(name) });
    print(sectionText(name, run.sections[name]));
  }
  run.minutes = (performance.now() - from) / 60_000;
  await save(run, options);
}

/** Saves the results; only a complete run is saved under the engine's name. */
async function save(run, { whole, engine, connections }) {
  const name = whole ? `latest-${engine}` : "partial";
  const heading = `${engine === "sqlite" ? "SQLite" : "PostgreSQL"}: throughput relative to the product`;
  const write = (extension, text) => writeFile(join(RESULTS, `${name}.${extension}`), text);
  await write("json", `${JSON.stringify(run, null, 1)}\n`);
  await write("md", markdownPage(run, `${name}.svg`));
  await write("svg", throughputChart(run.workloads, String(connections[0]), heading));
  print(`\n${run.minutes.toFixed(1)} minutes; written to ${RESULTS}${name}.{json,md,svg}`);
}

/** Shows progress in one line of the terminal, which is overwritten. */
function progress(what) {
  return (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}: ${text}`);
  };
}

function print(text) {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  console.log(text);
}
