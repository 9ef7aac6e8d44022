import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port.mjs";

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts the installed Redis with the settings that BullMQ's documentation requires in production: an append-only file
 * and no eviction.
 * @param fsync when the file is synced: `everysec`, as recommended, or `always`, before each response to a write
 */
export async function startRedis(fsync) {
  const directory = await mkdtemp(join(tmpdir(), "gateway-bench-redis-"));
  const port = await freePort();
  const settings = { port, bind: "127.0.0.1", dir: directory, save: "", appendonly: "yes" };
  const flags = { ...settings, appendfsync: fsync, "maxmemory-policy": "noeviction" };
  const child = spawn(
    "redis-server",
    Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  running.add(child);
  child.once("exit", () => running.delete(child));
  await new Promise((resolve, reject) => {
    let said = "";
    child.once("error", (cause) =>
      reject(new Error("redis-server did not start; on Debian, apt-get install redis-server", { cause })),
    );
    child.once("exit", () => reject(new Error(`redis-server did not start:\n${said}`)));
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said = (said + text).slice(-10_000);
      if (said.includes("Ready to accept connections")) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      const ended = child.exitCode === null ? once(child, "exit") : undefined;
      child.kill("SIGTERM");
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
