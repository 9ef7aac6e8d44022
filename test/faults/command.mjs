import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/**
 * Runs a test with the options of the command line, prints its counts and faults, and exits with 1 if there are faults.
 * @param run returns counts, and `faults` with a list for each kind
 * @param options.usage text for `--help`
 * @param options.processes number of processes on PostgreSQL
 * @param options.numbers further numeric options with their defaults
 * @param options.flags names of further options without a value
 */
export async function runCommand(run, { usage, processes, numbers, flags = [] }) {
  const withType = (type, names) => Object.fromEntries(names.map((name) => [name, { type }]));
  const { values } = parseArgs({
    options: {
      ...withType("string", ["engine", "processes", "seed", ...Object.keys(numbers)]),
      ...withType("boolean", ["help", ...flags]),
    },
  });
  if (values.help) return console.log(usage);
  const { engine = "postgres", seed = randomInt(1e9), ...given } = values;
  const defaults = { processes: engine === "sqlite" ? 2 : processes, seed, ...numbers };
  const chosen = Object.entries(defaults).map(([name, value]) => [name, Number(given[name] ?? value)]);
  const options = { engine, ...given, ...Object.fromEntries(chosen) };
  try {
    const { faults, ...counts } = await run(options);
    const { processes, seed } = options;
    for (const [name, value] of Object.entries({ engine, processes, seed, ...counts }))
      console.log(`${name.padEnd(28)}${value}`);
    for (const [name, found] of Object.entries(faults)) {
      console.log(`${name.padEnd(28)}${found.length}`);
      for (const each of found.slice(0, 20)) console.log(`  ${each}`);
    }
    process.exit(Object.values(faults).every(({ length }) => length === 0) ? 0 : 1);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
