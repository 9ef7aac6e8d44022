import { rm } from "node:fs/promises";
import { newPostgres, startFirst } from "./embedded-postgres.mjs";

/** Starts one PostgreSQL for the whole run; each suite makes databases of its own on it. */
export default async function globalSetup() {
  // The data is thrown away, so nothing waits for the disk.
  const postgres = await newPostgres("test", ["-c", "fsync=off", "-c", "max_connections=300"]);
  await startFirst(postgres);
  process.env.TEST_POSTGRES_URL = postgres.url;
  globalThis.stopPostgres = async () => {
    await postgres.server.stop();
    await rm(postgres.databaseDir, { recursive: true, force: true });
  };
}
