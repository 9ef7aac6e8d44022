// A PostgreSQL server in a separate process, which postgres-server.ts stops, freezes and starts.
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { newPostgres, startFirst } from "./embedded-postgres.mjs";

// The tests stop the server, not the machine, so nothing needs to wait for the disk.
const postgres = await newPostgres("stoppable", ["-c", "max_connections=50", "-c", "fsync=off"]);
const { server, databaseDir } = postgres;

/** Returns the IDs of the postmaster and of the processes that serve connections. */
function pids() {
  const [postmaster] = readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n");
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").trim().split(" ");
  return [Number(postmaster), ...children.filter(Boolean).map(Number)];
}

function signalAll(signal) {
  for (const pid of pids()) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }
}

/** @param signal SIGINT for a fast shutdown, SIGQUIT for an immediate one, as in a crash */
async function stop(signal) {
  const [postmaster] = pids();
  process.kill(postmaster, signal);
  while (isAlive(postmaster)) await setTimeout(5);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const ORDERS = {
  fast: () => stop("SIGINT"),
  immediate: () => stop("SIGQUIT"),
  start: () => server.start(),
  freeze: async () => signalAll("SIGSTOP"),
  thaw: async () => signalAll("SIGCONT"),
};

process.on("message", async (order) => {
  try {
    await ORDERS[order]();
    process.send({ done: order });
  } catch (error) {
    process.send({ failure: `${order}: ${error?.message}\n${postgres.said()}` });
  }
});
process.on("disconnect", async () => {
  try {
    signalAll("SIGCONT");
    await stop("SIGQUIT");
  } catch {
    // The server had already been stopped.
  }
  await rm(databaseDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  process.exit(0);
});

await startFirst(postgres);
process.send({ url: postgres.url });
