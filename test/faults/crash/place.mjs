import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "./postgres.mjs";
import { expirePostgresLeases, expireSqliteLeases, postgresTables, sqliteTables } from "./tables.mjs";

/**
 * Returns the place where a run keeps its databases. `create` creates an empty database:
 * `{ url, tables(), expireLeases(held) }`. `kill` ends and restarts the database server of the service; an embedded
 * database has none.
 */
export const createPlace = (engine) => (engine === "sqlite" ? sqlitePlace() : postgresPlace());

async function sqlitePlace() {
  const folder = await mkdtemp(join(tmpdir(), "gateway-crash-"));
  let made = 0;
  return {
    async create() {
      const file = join(folder, `${++made}.sqlite`);
      return {
        url: `sqlite:${file}`,
        tables: () => sqliteTables(file),
        expireLeases: (held) => expireSqliteLeases(file, held),
      };
    },
    kill: undefined,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function postgresPlace() {
  const server = await startPostgres();
  let made = 0;
  return {
    async create() {
      const name = `crash_${++made}`;
      await server.createDatabase(name);
      const url = `${server.url}/${name}`;
      return {
        url,
        tables: () => postgresTables(url),
        expireLeases: (held) => expirePostgresLeases(url, held),
      };
    },
    kill: server.kill,
    close: server.stop,
  };
}
