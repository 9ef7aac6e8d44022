import { createHistory } from "./crash/history.mjs";
import { readOptions, USAGE, UsageError } from "./crash/options.mjs";
import { createPlace } from "./crash/place.mjs";
import { printReport } from "./crash/report.mjs";
import { runRounds } from "./crash/rounds.mjs";
import { runSends } from "./crash/sends.mjs";

// `npm run test:crash`: repeatedly kills the service under load, and looks for lost data.

/** @returns true if nothing was lost on this database */
async function crash(engine, options) {
  const history = createHistory();
  const startedAt = Date.now();
  const place = await createPlace(engine);
  try {
    if (options.runsWrites) await runRounds(place, history, options);
    if (options.runsSends && history.isSound) await runSends(place, history, options);
  } finally {
    await place.close();
  }
  return printReport(history, { engine, seed: options.seed, seconds: (Date.now() - startedAt) / 1000 });
}

async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(USAGE);
  let sound = true;
  for (const engine of options.engines) sound = (await crash(engine, options)) && sound;
  // Exits explicitly, because the package that starts PostgreSQL would otherwise end the process with its own code.
  process.exit(sound ? 0 : 1);
}

main().catch((error) => {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
  process.exit(1);
});
