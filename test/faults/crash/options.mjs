import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

export const USAGE = `npm run test:crash -- [options]
  --engine sqlite|postgres   the database (one after the other)
  --kills <n>                how many times something is killed (100)
  --conversations <n>        how many conversations send to webhook receivers (200)
  --messages <n>             how many messages each of them sends (50)
  --freeze-seconds <n>       how long a process is frozen while it sends, once; 0 for never (45)
  --expire-leases            end the leases of killed processes early, to save time
  --only writes|sends        only the writes through both APIs, or only the messages to webhook receivers
  --seed <n>                 decides what is written and when is killed (random, and printed)
  --verbose                  a line for each kill
  --help`;

const ENGINES = ["sqlite", "postgres"];

/** Invalid arguments, reported without a stack trace. */
export class UsageError extends Error {}

function wholeNumber(text, name) {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${name} must be a whole number`);
  return Number(text);
}

/** @throws UsageError */
export function readOptions(args) {
  const { engine, kills = "100", seed, verbose = false, help = false, ...sends } = parse(args);
  const { conversations = "200", messages = "50" } = sends;
  if (engine !== undefined && !ENGINES.includes(engine)) {
    throw new UsageError("--engine is sqlite or postgres");
  }
  if (![undefined, "writes", "sends"].includes(sends.only)) {
    throw new UsageError("--only is writes or sends");
  }
  return {
    engines: engine === undefined ? ENGINES : [engine],
    kills: wholeNumber(kills, "--kills"),
    runsWrites: sends.only !== "sends",
    runsSends: sends.only !== "writes",
    conversations: wholeNumber(conversations, "--conversations"),
    messages: wholeNumber(messages, "--messages"),
    freezeSeconds: wholeNumber(sends["freeze-seconds"] ?? "45", "--freeze-seconds"),
    expireLeases: sends["expire-leases"] ?? false,
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
      options: {
        engine: text,
        kills: text,
        only: text,
        conversations: text,
        messages: text,
        "freeze-seconds": text,
        "expire-leases": flag,
        seed: text,
        verbose: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}
