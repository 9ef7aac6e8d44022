// `npm run bench`: the product next to others that do the same. README.md tells what is measured and how.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeData, sqliteStore } from "./data.mjs";
import { startGenerator } from "./load/generator.mjs";
import { measure } from "./measure.mjs";
import { readOptions } from "./options.mjs";
import { WORKLOADS } from "./workloads.mjs";

const options = readOptions(process.argv.slice(2));
const directory = await mkdtemp(join(tmpdir(), "gateway-bench-"));
const generator = startGenerator();
try {
  const data = await makeData(sqliteStore(directory), { name: "bench", pets: 100_000, keys: 1_000 });
  for (const workload of options.workloads) {
    const { door, title } = WORKLOADS[workload];
    const contenders = options.contenders.filter(({ doors }) => doors[door]);
    const results = await measure({ workload, contenders, data, generator, options, say: () => {} });
    for (const [connections, result] of Object.entries(results)) {
      console.log(`\n${title}, ${connections} connections`);
      console.table(
        Object.fromEntries(
          Object.entries(result).map(([name, { median, ratio }]) => [
            name,
            {
              "requests/s": Math.round(median.perSecond),
              "× product": ratio && Number(ratio.perSecond.toFixed(2)),
              "p50 ms": median.p50,
              "p99 ms": median.p99,
              "p99.9 ms": median.p999,
              "CPU µs": Math.round(median.cpu),
              "CPU ×": ratio && Number(ratio.cpu.toFixed(2)),
              MiB: Math.round(median.memory),
            },
          ]),
        ),
      );
    }
  }
} finally {
  await generator.close();
  await rm(directory, { recursive: true });
}
