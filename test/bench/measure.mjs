import { startServer } from "./server.mjs";
import { median, pairedRatios, turns } from "./stats.mjs";
import { verifySame } from "./verify.mjs";

/** Not measured at the beginning of each turn: caches fill again with what this server needs (s). */
const LEAD = 0.2;

/**
 * Measures all contenders on one workload, by turns. Their servers live through all of it and only one is under
 * load at a time.
 * @returns by number of connections, then by contender: `median`, `ratio` to the product, and all `rounds`
 */
export async function measure({ workload, contenders, data, generator, databasePid, options, say }) {
  const servers = new Map();
  try {
    for (const contender of contenders)
      servers.set(contender.name, await startServer(contender, await data.copy()));
    await verifySame([...servers.values()], workload, data);
    const load = (name, connections, seconds, seed) => {
      const { port, pid } = servers.get(name);
      return generator
        .load({
          contender: name,
          workload,
          port,
          pid,
          databasePid,
          data: data.facts,
          connections,
          seed,
          lead: LEAD,
          seconds,
        })
        .catch((error) => {
          throw new Error(`${error.message}\n${servers.get(name).said()}`, { cause: error });
        });
    };
    const [reference, ...others] = contenders.map(({ name }) => name);
    for (const name of servers.keys()) await load(name, options.connections[0], options.warmUp, 0);
    const results = {};
    for (const connections of options.connections) {
      const rounds = [];
      for (const [i, name] of turns(reference, others, options.rounds).entries()) {
        rounds.push({ name, values: await load(name, connections, options.seconds, i + 1) });
        say(
          `${workload}, ${connections} connections: ${name} ${Math.round(rounds.at(-1).values.perSecond)}/s`,
        );
      }
      results[connections] = summarize(reference, rounds);
    }
    return results;
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

function summarize(reference, rounds) {
  const ratios = pairedRatios(reference, rounds);
  const medians = (numbers) => {
    const entries = Object.entries(numbers).map(([measure, values]) => [measure, median(values)]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };
  return Object.fromEntries(
    [...new Set(rounds.map(({ name }) => name))].map((name) => {
      const own = rounds.filter((round) => round.name === name).map(({ values }) => values);
      const byMeasure = Object.fromEntries(
        Object.keys(own[0]).map((measure) => [measure, own.map((values) => values[measure])]),
      );
      return [
        name,
        {
          median: medians(byMeasure),
          ...(name !== reference && { ratio: medians(ratios[name]) }),
          rounds: own,
        },
      ];
    }),
  );
}
