import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CONTENDERS } from "./contenders/contenders.mjs";
import { WORKLOADS } from "./workloads.mjs";

/** The sections, which measure the product in addition to the comparison with contenders. */
const SECTIONS = {
  sqlite: ["delivery", "events", "decisions", "queues", "flat", "start", "memory", "commit"],
  postgres: ["delivery", "events", "decisions", "queues", "flat", "cost"],
};
const ALL_SECTIONS = [...new Set(Object.values(SECTIONS).flat())];

const QUICK = ["rest-list", "rest-pet", "rest-create", "graphql-list", "graphql-literals", "start", "commit"];

export const USAGE = `npm run bench -- [options]
  --engine sqlite|postgres   the database (sqlite)
  --only <names>             workloads and sections, with commas: ${Object.keys(WORKLOADS)
    .filter((name) => !WORKLOADS[name].beside)
    .join(", ")}; ${ALL_SECTIONS.join(", ")}
  --contenders <names>       beside the product: ${CONTENDERS.slice(1)
    .map(({ name }) => name)
    .join(", ")}; none
  --versus <folder>          another checkout of the product, built, as one more contender
  --connections <numbers>    of concurrent connections, with commas (32)
  --rounds <n>               turns of each contender for each workload and number of connections, at least 5 (5)
  --runs <n>                 measure all workloads so many times, an odd number, and report the middle (1)
  --seconds <n>              measured part of a turn
  --unpinned                 leave it to the system which core runs what: steadier on a machine that others use
  --quick                    few and short turns: about two minutes, good for a look
  --profile                  where the product's CPU time goes in the workloads of --only, instead of all else
  --help`;

/** With fewer turns, the spread means little. */
const MIN_ROUNDS = 5;

/** Invalid arguments, reported without a stack trace. */
export class UsageError extends Error {}

const names = (text, known, what) =>
  text.split(",").map((name) => {
    if (!known.includes(name)) throw new UsageError(`there is no ${what} "${name}"`);
    return name;
  });

/** Returns another version of the product with the same APIs. */
function versus(folder) {
  const entry = resolve(folder, "dist/src/main.js");
  if (!existsSync(entry)) throw new UsageError(`there is no ${entry}; build it first`);
  return { ...CONTENDERS[0], name: "versus", title: `the product in ${folder}`, entry };
}

const number = (text, what) => {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`${what} must be a number above 0`);
  return value;
};

const count = (text, rule, isAllowed) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || !isAllowed(value)) throw new UsageError(rule);
  return value;
};

/** @throws UsageError */
export function readOptions(args) {
  const { values } = parse(args);
  const { engine = "sqlite", quick = false } = values;
  if (engine !== "sqlite" && engine !== "postgres") throw new UsageError("--engine is sqlite or postgres");
  const sections = SECTIONS[engine];
  const workloads = Object.keys(WORKLOADS).filter((name) => !WORKLOADS[name].beside);
  const all = [...workloads, ...sections];
  const only =
    values.only === undefined ? (quick ? QUICK : all) : names(values.only, all, "workload or section");
  const rivals = CONTENDERS.slice(1).map(({ name }) => name);
  const against =
    values.contenders === undefined ? rivals : names(values.contenders, [...rivals, "none"], "contender");
  const [seconds, leastRounds] = quick ? [0.5, 1] : [1, MIN_ROUNDS];
  return {
    help: values.help === true,
    profile: values.profile === true,
    pinned: values.unpinned !== true,
    quick,
    engine,
    /** True if everything is measured, which is the default. */
    whole: Object.keys(values).every((name) => name === "engine" || name === "runs"),
    workloads: workloads.filter((name) => only.includes(name)),
    sections: sections.filter((name) => only.includes(name)),
    contenders: [
      ...CONTENDERS.filter(
        ({ name, engines }, i) => i === 0 || (against.includes(name) && engines.includes(engine)),
      ),
      ...(values.versus === undefined ? [] : [versus(values.versus)]),
    ],
    connections: (values.connections ?? "32").split(",").map((text) => number(text, "--connections")),
    rounds: count(
      values.rounds ?? leastRounds,
      `--rounds must be ${leastRounds} or more`,
      (n) => n >= leastRounds,
    ),
    runs: count(values.runs ?? 1, "--runs must be an odd number", (n) => n % 2 === 1),
    seconds: number(values.seconds ?? seconds, "--seconds"),
    warmUp: quick ? 0.6 : 1.5,
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
        only: text,
        contenders: text,
        versus: text,
        connections: text,
        rounds: text,
        runs: text,
        seconds: text,
        unpinned: flag,
        quick: flag,
        profile: flag,
        help: flag,
      },
    });
  } catch (error) {
    throw new UsageError(error.message);
  }
}
