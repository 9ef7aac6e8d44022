import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

export const USAGE = `npm run test:crash -- [options]
  --engine sqlite|postgres   the database (one after the other)
  --kills <n>                how many times something is killed (100)
  --seed <n>                 decides what is written and when is killed (random, and printed)
  --verbose                  a line for each kill
  --help`;

const ENGINES = ["sqlite", "postgres"];

/** A mistake in the arguments, reported without a stack. */
export class UsageError extends Error {}

function wholeNumber(text, name) {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${name} must be a whole number`);
  return Number(text);
}

/** @throws UsageError */
export function readOptions(args) {
  const { engine, kills = "100", seed, verbose = false, help = false } = parse(args);
  if (engine !== undefined && !ENGINES.includes(engine)) {
    throw new UsageError("--engine is sqlite or postgres");
  }
  return {
    engines: engine === undefined ? ENGINES : [engine],
    kills: wholeNumber(kills, "--kills"),
    seed: seed === undefined ? randomInt(1e9) : wholeNumber(seed, "--seed"),
    verbose,
    help,
  };
}

function parse(args) {
  const text = { type: "string" };
  const flag = { type: "boolean" };
  try {
    return parseArgs({
      args,
      options: { engine: text, kills: text, seed: text, verbose: flag, help: flag },
    }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}
