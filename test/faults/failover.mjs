import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { seeded } from "../bench/random.mjs";
import { OWNER, spawnGateway } from "./crash/gateway.mjs";
import { createHistory } from "./crash/history.mjs";
import { startLoad } from "./crash/load.mjs";
import { openConversations, openLine, presentKeys, publish, retryAll } from "./crash/rounds.mjs";
import { postgresTables } from "./crash/tables.mjs";
import { verify } from "./crash/verify.mjs";
import { ask } from "./crash/writes.mjs";
import { missingPrograms, startCluster } from "./failover/cluster.mjs";
import { startWatch } from "./failover/watch.mjs";
import { openWebhooks } from "./failover/webhooks.mjs";

// `npm run test:failover`: repeatedly takes the primary of a cluster away from two gateways under load.

const USAGE = `npm run test:failover -- [options]
  --rounds <n>      how often something happens to the primary (20)
  --faults <list>   what happens, in turn (freeze,kill,cut,isolate,hang,crash,restart,switchover)
  --asynchronous    without a synchronous standby; what is lost or sent twice is counted, but is no fault
  --seed <n>        decides what is written (random, and printed)
  --keep            keep the cluster's folder and logs
  --verbose         a line for each round`;

const SETTINGS = {
  ALLOW_PRIVATE_TARGETS: "127.0.0.0/8",
  REFUSED_KEYS_PER_MINUTE: "0",
};
const LOAD = { clients: 6, pauseMs: 100 };
const MAX_LOAD_MS = 3_000;
/** Duration of the load after the writes have resumed (ms). */
const AFTER_MS = 2_000;
const SETTLE_LIMIT_MS = 90_000;
/** Max time until no gateway is connected to a server that cannot write (ms). */
const STRAY_LIMIT_MS = 15_000;

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";

/** Returns the longest time between two acknowledged writes to a gateway (ms). */
function longestPause(writes, url) {
  const times = writes
    .filter((write) => write.url === url && write.answeredAt)
    .map((write) => write.answeredAt);
  times.sort((one, other) => one - other);
  return Math.max(0, ...times.slice(1).map((time, i) => time - times[i]));
}

async function until(limitMs, check) {
  const giveUpAt = Date.now() + limitMs;
  while (!(await check().catch(() => false))) {
    if (Date.now() > giveUpAt) return false;
    await setTimeout(200);
  }
  return true;
}

async function run({ rounds, faults, asynchronous, seed, keep, verbose }) {
  const random = seeded(seed);
  const history = createHistory();
  const { violate } = history;
  const pauses = {};
  const totals = { revoked: 0, signedOut: 0, presented: 0, uncertain: 0 };
  const cluster = await startCluster(!asynchronous);
  let gateways = [];
  let webhooks;
  try {
    await cluster.healthy();
    await cluster.query("postgres", "CREATE ROLE gateway LOGIN PASSWORD 'failover'");
    await cluster.query("postgres", "CREATE DATABASE gateway OWNER gateway");
    const databaseUrl = cluster.urlOf("gateway");
    gateways = [spawnGateway(databaseUrl, SETTINGS)];
    const urls = [await gateways[0].listening];
    gateways.push(spawnGateway(databaseUrl, SETTINGS));
    urls.push(await gateways[1].listening);
    const { token } = (await ask(urls[0], undefined, SIGN_IN, { input: OWNER })).signIn;
    const { agents } = await ask(urls[0], token, "{ agents { id } }");
    const callers = { key: gateways[0].firstKey(), session: token, agentId: agents[0].id };
    await publish(urls[0], callers);
    callers.conversations = await openConversations(urls[0], callers.key);
    callers.line = await openLine(urls[0], callers);
    webhooks = await openWebhooks(urls, callers, history, random);

    for (let round = 0; round < rounds; round += 1) {
      const fault = faults[round % faults.length];
      const from = history.writes.length;
      const accepted = new Map();
      const loads = [
        ...urls.map((url) => startLoad(url, callers, history, random, LOAD)),
        webhooks.start(),
        startWatch(urls, callers, random, (one) => accepted.set(one.id, one)),
      ];
      await setTimeout(random() * MAX_LOAD_MS);
      await cluster.suffer(fault);
      const since = Date.now();
      const resumed = () =>
        urls.every((url) => history.writes.some((write) => write.url === url && write.answeredAt > since));
      if (!(await until(SETTLE_LIMIT_MS, async () => resumed())))
        violate("other", `no writes after ${fault}`);
      await setTimeout(AFTER_MS);
      // The load continues while the old primary becomes the standby.
      await cluster.healthy();
      await Promise.all(loads.map((load) => load.stop()));
      for (const [name, count] of Object.entries(loads.at(-1).counts)) totals[name] += count;
      const written = history.writes.slice(from);
      const longest = Math.max(...urls.map((url) => longestPause(written, url)));
      pauses[fault] = [...(pauses[fault] ?? []), longest];

      if (!(await until(STRAY_LIMIT_MS, async () => (await cluster.strayConnections()) === 0)))
        violate("other", `gateways are connected to the standby after ${fault}`);
      for (const gateway of gateways)
        if (gateway.hasEnded) violate("other", `a gateway ended: ${gateway.complaints()}`);
      if (!asynchronous) await retryAll(written, urls[0], callers, history);
      const isSettled = async () =>
        (
          await cluster.query(
            "gateway",
            `SELECT 1 FROM message WHERE status IN ('queued', 'sending')
           UNION ALL SELECT 1 FROM decision WHERE state = 'deciding' LIMIT 1`,
          )
        ).length === 0;
      if (!(await until(SETTLE_LIMIT_MS, isSettled)))
        violate("other", "messages were not sent or decided in time");
      const tables = await postgresTables(databaseUrl);
      // Without synchronous replication, only this round's writes can be lost.
      verify(tables, asynchronous ? { ...history, writes: written } : history);
      totals.uncertain = webhooks.verify(tables, violate);
      const revoked = new Set(tables.keys.filter((key) => key.revoked_at !== null).map(({ id }) => id));
      for (const { kind, id } of accepted.values()) {
        const isLost = asynchronous && !revoked.has(id);
        violate(isLost ? "lost" : "other", `the ${kind} ${id} was accepted after its end`);
      }
      if (!asynchronous) await presentKeys(written, urls[1], history);
      if (verbose)
        console.log(
          `round ${round + 1}: ${fault}, ${written.length} writes, ${(longest / 1000).toFixed(1)} s without one,`,
          Object.entries(history.violations)
            .map(([sort, { size }]) => `${sort} ${size}`)
            .join(", "),
        );
      if (!asynchronous && !history.isSound) break;
    }
  } finally {
    for (const gateway of gateways) await gateway.kill();
    await webhooks?.close();
    await cluster.close(keep);
    if (keep) console.log(`kept           ${cluster.folder}`);
  }
  return { history, pauses, totals, webhooks };
}

function report({ history, pauses, totals, webhooks }, { asynchronous, seed }) {
  const count = (outcome) => history.writes.filter((write) => write.first === outcome).length;
  const seconds = (times) => times.map((ms) => (ms / 1000).toFixed(1)).join(", ");
  const rows = {
    replication: asynchronous ? "asynchronous" : "synchronous",
    seed,
    "writes sent": history.writes.length,
    answered: count("answered"),
    unavailable: count("unavailable"),
    unanswered: count("unanswered"),
    retries: history.retries,
    "keys revoked": totals.revoked,
    "signed out": totals.signedOut,
    presented: totals.presented,
    webhooks: `${webhooks.accepted.size} messages in ${webhooks.counts.requests} requests, ${totals.uncertain} of them given up as uncertain`,
    ...Object.fromEntries(
      Object.entries(pauses).map(([fault, times]) => [fault, `${seconds(times)} s without a write`]),
    ),
    ...Object.fromEntries(Object.entries(history.violations).map(([sort, found]) => [sort, found.size])),
  };
  for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(15)}${value}`);
  for (const [sort, found] of Object.entries(history.violations))
    for (const what of [...found].slice(0, 20)) console.log(`  ${sort}: ${what}`);
  const { lost, doubled, half, other } = history.violations;
  return half.size + other.size === 0 && (asynchronous || lost.size + doubled.size === 0);
}

async function main() {
  const [text, flag] = [{ type: "string" }, { type: "boolean" }];
  const { values } = parseArgs({
    options: {
      rounds: text,
      faults: text,
      seed: text,
      asynchronous: flag,
      keep: flag,
      verbose: flag,
      help: flag,
    },
  });
  if (values.help) return console.log(USAGE);
  const missing = missingPrograms();
  if (missing.length > 0) {
    console.log(`not installed: ${missing.join(", ")}`);
    process.exit(2);
  }
  const { rounds = "20", asynchronous = false, keep = false, verbose = false } = values;
  const faults = (values.faults ?? "freeze,kill,cut,isolate,hang,crash,restart,switchover").split(",");
  const seed = Number(values.seed ?? randomInt(1e9));
  const options = { rounds: Number(rounds), faults, asynchronous, seed, keep, verbose };
  process.exit(report(await run(options), options) ? 0 : 1);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
