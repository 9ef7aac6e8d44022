import { startServer } from "./server.mjs";
import { summarize, turns } from "./stats.mjs";
import { verifySame } from "./verify.mjs";

/** Unmeasured time at the start of each turn (s), while the caches are refilled for this server. */
const LEAD = 0.2;

/** A server is warm after this many requests, or after `MAX_WARM_UP` warm-ups, for slow servers. */
const WARM = 60_000;
const MAX_WARM_UP = 8;

/** Returns the load generator's data about a server. */
export const targetOf = ({ contender, port, pid }, { facts }) => ({
  contender: contender.name,
  port,
  pid,
  data: facts,
});

/**
 * Runs loads in turns, after warming up each of them.
 * @param loads tasks for the generator, by name; the others are compared with the first
 * @returns the results of `summarize` by number of connections
 */
export async function byTurns({ loads, generator, options, say }) {
  const [reference, ...others] = Object.keys(loads);
  const run = (name, more) => generator.load({ ...loads[name], ...more });
  const warmUp = { connections: options.connections[0], seconds: options.warmUp, turn: 0 };
  for (const name of [reference, ...others]) {
    let answered = 0;
    for (let i = 0; i < MAX_WARM_UP && answered < WARM; i++) answered += (await run(name, warmUp)).requests;
  }
  const results = {};
  for (const connections of options.connections) {
    const rounds = [];
    for (const [i, name] of turns(reference, others, options.rounds).entries()) {
      const values = await run(name, { connections, lead: LEAD, seconds: options.seconds, turn: i + 1 });
      rounds.push({ name, values });
      say(`${connections} connections, ${name}: ${Math.round(values.perSecond)} requests/s`);
    }
    results[connections] = summarize(reference, rounds);
  }
  return results;
}

/**
 * Measures all contenders on one workload. All servers run the whole time, but only one is under load at a time. First,
 * all of them must give the same responses.
 * @param databasePid the process whose children work for PostgreSQL
 */
export async function measure({ workload, contenders, data, generator, databasePid, options, say }) {
  const servers = [];
  try {
    const copies = [];
    for (const _ of contenders) copies.push(await data.copy());
    const starts = await Promise.allSettled(contenders.map((each, i) => startServer(each, copies[i])));
    servers.push(...starts.filter(({ status }) => status === "fulfilled").map(({ value }) => value));
    for (const { status, reason } of starts) if (status === "rejected") throw reason;
    await verifySame(servers, workload, data);
    const loads = Object.fromEntries(
      servers.map((server) => [server.contender.name, { ...targetOf(server, data), workload, databasePid }]),
    );
    return await byTurns({ loads, generator, options, say });
  } catch (error) {
    const said = servers.map((server) => server.said() && `${server.contender.name}: ${server.said()}`);
    throw new Error([error.message, ...said].filter(Boolean).join("\n"), { cause: error });
  } finally {
    for (const server of servers) await server.stop();
  }
}
