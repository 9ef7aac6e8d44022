// `npm run test:overload` measures how a client with a valid key is served while others send too many requests. Without
// arguments, it sends ten times the load that the server can serve, then runs every attack on both databases. The exit
// code is 1 if a bound is broken.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeData, postgresStore, sqliteStore } from "../bench/data.mjs";
import { startPostgres } from "../bench/postgres.mjs";
import { markdownTable, reportLine } from "./report.mjs";
import { reportSaturation } from "./saturation.mjs";
import { runAttack } from "./scenario.mjs";

const ENGINES = ["sqlite", "postgres"];
const SATURATION = "saturation";
const DEFAULT_SECONDS = 8;
const MAX_SECONDS = 60;
const attackNames = (await readdir(new URL("attacks/", import.meta.url)))
  .filter((file) => file.endsWith(".mjs"))
  .map((file) => file.replace(/\.mjs$/, ""))
  .sort();

const USAGE = `npm run test:overload -- [attack ...] [sqlite|postgres] [--seconds <n>]
  attacks: ${attackNames.join(", ")}
  ${SATURATION}: ten times the load that can be served, on SQLite
  --seconds <n>: how long an attack may take, 1 to ${MAX_SECONDS} (${DEFAULT_SECONDS})`;

/** @returns the options, or undefined for invalid arguments */
function readArguments(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { seconds: { type: "string", default: String(DEFAULT_SECONDS) } },
  });
  const seconds = Number(values.seconds);
  const known = [...attackNames, SATURATION, ...ENGINES];
  if (!(seconds >= 1 && seconds <= MAX_SECONDS)) return undefined;
  if (positionals.some((name) => !known.includes(name))) return undefined;
  const engines = ENGINES.filter((engine) => positionals.includes(engine));
  const names = positionals.filter((name) => !ENGINES.includes(name));
  const isAll = names.length === 0;
  return {
    seconds,
    saturation: names.includes(SATURATION) || (isAll && engines.length === 0),
    attacks: isAll ? attackNames : attackNames.filter((name) => names.includes(name)),
    engines: engines.length === 0 ? ENGINES : engines,
  };
}

/**
 * Runs the attacks on a database one after the other.
 * @param directory for temporary files
 */
async function runAttacks(engine, { attacks, seconds }, directory) {
  const postgres = engine === "postgres" ? await startPostgres() : undefined;
  const results = [];
  try {
    const store = postgres ? postgresStore(directory, postgres.url) : sqliteStore(directory);
    const data = await makeData(store, { name: "attacks", pets: 10_000, keys: 20 });
    for (const name of attacks) {
      const attack = await import(`./attacks/${name}.mjs`);
      const result = {
        name,
        engine,
        ...(await runAttack(attack, data, { seconds, databasePid: postgres?.pid })),
      };
      console.log(reportLine(result));
      results.push(result);
    }
  } finally {
    await postgres?.stop();
  }
  return results;
}

async function main() {
  const options = readArguments(process.argv.slice(2));
  if (options === undefined) {
    console.error(USAGE);
    return 1;
  }
  const directory = await mkdtemp(join(tmpdir(), "gateway-overload-"));
  try {
    if (options.saturation) await reportSaturation(directory);
    if (options.attacks.length === 0) return 0;
    const results = [];
    for (const engine of options.engines) results.push(...(await runAttacks(engine, options, directory)));
    console.log(`\n${markdownTable(results)}`);
    return results.some(({ broken }) => broken.length > 0) ? 1 : 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

// Exits explicitly, because the package that starts PostgreSQL would otherwise end the process with its own code.
main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
