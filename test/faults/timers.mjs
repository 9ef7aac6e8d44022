import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { pick, seeded } from "../bench/random.mjs";
import { createAgents } from "./agents.mjs";
import { runCommand } from "./command.mjs";
import { spawnGateway } from "./crash/gateway.mjs";
import { createPlace } from "./crash/place.mjs";

// `npm run test:timers`: kills processes while timers fall due, and looks for timers that did not fire exactly once.

const USAGE = `npm run test:timers -- [options]
  --engine sqlite|postgres   the database (postgres)
  --processes <n>            how many share it (4, on SQLite 2)
  --kills <n>                how many are killed, half of them at a time (100)
  --agents <n>               how many set timers side by side (10)
  --expire-leases            end all processes after the last kill, end their leases and start one, to save time
  --seed <n>                 decides what is set and killed (random, and printed)
  --verbose                  a line for each kill`;

const DOCUMENT = {
  format: 1,
  situations: { begun: { n: "string", at: "string" }, due: { n: "string" } },
  templates: { due: "Due {{ situation.data.n }}" },
  rules: [
    {
      id: "begun",
      on: "begun",
      do: [
        {
          later: {
            ...{ situation: "due", at: "{{ situation.data.at }}", key: "{{ situation.data.n }}" },
            data: { n: "{{ situation.data.n }}" },
          },
        },
      ],
    },
    { id: "due", on: "due", do: [{ send: "due" }] },
  ],
};

/** Number of contacts per agent. */
const CONTACTS = 50;
const MAX_PAUSE_MS = 300;
/** Max time until a timer is due (ms). */
const MAX_WAIT_MS = 3_000;
/** Max delay of the timers that a killed process was firing (ms). */
const TAKEOVER_MS = 60_000;

async function run({
  engine,
  processes,
  kills,
  agents: count,
  "expire-leases": expireLeases,
  seed,
  verbose,
}) {
  const random = seeded(seed);
  const place = await createPlace(engine);
  const database = await place.create();
  const spawn = () =>
    spawnGateway(database.url, {
      DATABASE_POOL_SIZE: "6",
    });
  const gateways = [spawn()];
  try {
    const first = await gateways[0].listening;
    const agents = await createAgents(first, count, DOCUMENT);
    while (gateways.length < processes) {
      gateways.push(spawn());
      await gateways.at(-1).listening;
    }

    const acknowledged = [];
    let requests = 0;
    let isOver = false;
    const set = async ({ key }) => {
      const n = String(++requests);
      const at = new Date(Date.now() + random() * MAX_WAIT_MS).toISOString();
      const contact = { address: { kind: "local", address: `contact ${randomInt(CONTACTS)}` } };
      try {
        const { listening } = pick(random, gateways);
        const response = await fetch(`${await listening}/agent/decisions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ situation: { type: "begun", data: { n, at } }, contact }),
          signal: AbortSignal.timeout(10_000),
        });
        await response.arrayBuffer();
        if (response.status === 201) acknowledged.push(n);
      } catch {
        // The process was killed, so the timer may or may not be set.
      }
    };
    const clients = agents.map(async (agent) => {
      while (!isOver) {
        await set(agent);
        await setTimeout(random() * MAX_PAUSE_MS);
      }
    });
    const together = Math.ceil(processes / 2);
    for (let killed = 0; killed < kills; killed += together) {
      await setTimeout(random() * 500);
      const from = Math.floor(random() * processes);
      await Promise.all(
        Array.from({ length: Math.min(together, kills - killed) }, async (_, i) => {
          const which = (from + i) % processes;
          await gateways[which].kill();
          // All processes end after the last kill.
          if (expireLeases && killed + together >= kills) return;
          gateways[which] = spawn();
          await gateways[which].listening;
        }),
      );
      if (verbose)
        console.log(`kill ${killed + together}: ${requests} requests, ${acknowledged.length} acknowledged`);
    }
    isOver = true;
    await Promise.all(clients);
    if (expireLeases) {
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      await database.expireLeases();
      gateways.splice(0, gateways.length, spawn());
      await gateways[0].listening;
    }
    const until = Date.now() + MAX_WAIT_MS + TAKEOVER_MS;
    const isDone = ({ timers, messages }) =>
      timers.length === 0 && messages.every(({ status }) => status === "delivered");
    while (!isDone(await database.tables()) && Date.now() < until) await setTimeout(500);
    return { kills, requests, ...verify(await database.tables(), acknowledged) };
  } finally {
    for (const gateway of gateways) await gateway.kill();
    await place.close();
  }
}

/** Compares the timers that were set with the timers that fired, without using the service's code. */
function verify({ decisions, messages, timers, complaints }, acknowledged) {
  const rows = decisions.map(({ situation, explanation }) => ({
    ...JSON.parse(situation),
    effects: JSON.parse(explanation)?.effects ?? [],
  }));
  const count = (all) => {
    const counts = new Map();
    for (const n of all) counts.set(n, (counts.get(n) ?? 0) + 1);
    return counts;
  };
  const begun = rows.filter(({ type }) => type === "begun");
  const set = begun.filter(({ effects }) => effects[0]?.status === "done").map(({ data }) => data.n);
  const stored = new Set(begun.map(({ data }) => data.n));
  const fired = count(rows.filter(({ type }) => type === "due").map(({ data }) => data.n));
  const sent = count(messages.map(({ message }) => message.replace("Due ", "")));
  return {
    set: set.length,
    fired: fired.size,
    faults: {
      lost: acknowledged.filter((n) => !stored.has(n)),
      "not fired": set.filter((n) => !fired.has(n)),
      "fired twice": [...fired].filter(([, times]) => times > 1).map(([n]) => n),
      "not sent once": set.filter((n) => sent.get(n) !== 1),
      "not set": [...fired.keys()].filter((n) => !set.includes(n)),
      waiting: timers.map(({ id }) => id),
      complaints,
    },
  };
}

await runCommand(run, {
  usage: USAGE,
  processes: 4,
  numbers: { kills: 100, agents: 10 },
  flags: ["expire-leases", "verbose"],
});
