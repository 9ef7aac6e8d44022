import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../../support/free-port.mjs";
import { nodeCommand } from "../pinning.mjs";
import { residentKibibytes } from "../process-usage.mjs";
import { commandOf } from "../server.mjs";
import { median } from "../stats.mjs";

const LIMIT_MS = 30_000;

/** Measures the time from the start of the process to its first response, and its memory when idle. */
export async function start({ product, data, options, say }) {
  const times = options.quick ? 3 : 9;
  const idleSeconds = options.quick ? 1 : 3;
  const runs = [];
  const bare = [];
  for (let i = 0; i < times; i++) {
    bare.push(await bareNode());
    const database = await data.copy();
    runs.push(await measureOnce(product, database.url, data.secrets[0], idleSeconds));
    await database.drop();
    say(`${Math.round(runs.at(-1).ms)} ms`);
  }
  const all = (name) => runs.map((run) => run[name]);
  return {
    times,
    ms: { median: median(all("ms")), least: Math.min(...all("ms")), most: Math.max(...all("ms")) },
    nodeMs: median(bare),
    idleSeconds,
    idleMemory: median(all("memory")),
  };
}

async function bareNode() {
  const from = performance.now();
  await once(spawn(...nodeCommand(["-e", ""])), "exit");
  return performance.now() - from;
}

async function measureOnce(product, databaseUrl, key, idleSeconds) {
  const port = await freePort();
  const { args, env } = commandOf(product, databaseUrl, port);
  const from = performance.now();
  const child = spawn(...nodeCommand(args), { env, stdio: "ignore" });
  try {
    await answered(`http://127.0.0.1:${port}/agent/whoami`, key, from + LIMIT_MS);
    const ms = performance.now() - from;
    await setTimeout(idleSeconds * 1000);
    const kibibytes = residentKibibytes(child.pid);
    return { ms, memory: kibibytes && kibibytes / 1024 };
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

/** Retries until the server listens. */
async function answered(url, key, giveUpAt) {
  while (true) {
    try {
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      await response.text();
      if (response.status !== 200) throw new Error(`the first answer is ${response.status}`);
      return;
    } catch (error) {
      if (error.cause?.code !== "ECONNREFUSED" || performance.now() > giveUpAt) throw error;
      await setTimeout(3);
    }
  }
}
