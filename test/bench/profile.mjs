import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { targetOf } from "./measure.mjs";
import { ask, PROBED } from "./probe.mjs";
import { byFunction, byPackage } from "./profile-tree.mjs";
import { plainTable } from "./report/format.mjs";
import { startServer } from "./server.mjs";
import { WORKLOADS } from "./workloads.mjs";

const TOP = 40;
const RESULTS = fileURLToPath(new URL("results/", import.meta.url));

/**
 * Profiles the product under each workload, once it is warm, and tells where the time of its main thread goes: by
 * function with who called it, and by package, in µs for each request. The profiles stay, for Chrome's DevTools.
 */
export async function profile({ product, data, generator, options }) {
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
      const recorded = JSON.parse(await readFile(file, "utf8"));
      const each = (micros) => (micros / requests).toFixed(2);
      const functions = byFunction(recorded);
      const busy = functions.reduce((sum, { self }) => sum + self, 0);
      const share = (micros) => `${((micros / busy) * 100).toFixed(1)} %`;
      console.log(
        `\n${WORKLOADS[workload].title}: ${Math.round(perSecond)} requests/s under the profiler; of ${cpu?.toFixed(0)} µs CPU time a request the main thread has ${each(busy)}\n`,
      );
      print([
        ["µs/request", "share", "package"],
        ...byPackage(functions).map(({ name, self }) => [each(self), share(self), name]),
      ]);
      console.log();
      print([
        ["µs/request", "share", "function, and who calls it most"],
        ...functions
          .slice(0, TOP)
          .map(({ name, self, callers }) => [each(self), share(self), [name, ...callers].join("  <  ")]),
      ]);
      console.log(`\n${file}`);
    } finally {
      await server.stop();
    }
  }
}

/** The last column, which may be long, to the left. */
function print(rows) {
  const numbers = plainTable(rows.map((row) => ["", ...row.slice(0, -1)]));
  console.log(numbers.map((text, i) => `${text}  ${rows[i].at(-1)}`).join("\n"));
}
