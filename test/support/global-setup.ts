import "reflect-metadata";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSchema } from "../../src/graphql/schema";
import { createOpenApi, serversOf } from "../../src/rest/openapi/openapi";
import { chromiumPath } from "./chromium-path";
import { newPostgres, startFirst } from "./embedded-postgres.mjs";
import { administer, createPostgresTemplate, migrate } from "./engines";
import { memoryFolder } from "./memory-folder";

type Undo = () => Promise<unknown>;

declare global {
  /** The steps of the teardown, last first. */
  var undoGlobalSetup: Undo[];
}

/**
 * Starts one PostgreSQL for the whole run, unless `TEST_POSTGRES_URL` names a server, and migrates one database on each
 * engine. Suites copy these templates instead of migrating their own databases. Also creates the OpenAPI document once;
 * suites check every response against it.
 */
export default async function globalSetup(): Promise<void> {
  globalThis.undoGlobalSetup = [];
  if (chromiumPath === undefined && !process.env.CI)
    process.stderr.write(
      "The dashboard's tests are skipped: no Chromium was found (set CHROMIUM to its path).\n",
    );
  process.env.TEST_POSTGRES_URL ??= await startPostgres();
  await Promise.all([migratePostgresTemplate(), migrateSqliteTemplate(), writeOpenApi()]);
}

/** @returns the URL of the server, without a database */
async function startPostgres(): Promise<string> {
  // The data is discarded, so nothing needs to wait for the disk.
  const flags = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=300"];
  const postgres = await newPostgres(
    "test",
    flags.flatMap((flag) => ["-c", flag]),
    memoryFolder(4e9),
  );
  await startFirst(postgres);
  globalThis.undoGlobalSetup.push(async () => {
    await postgres.server.stop();
    await rm(postgres.databaseDir, { recursive: true, force: true });
  });
  return postgres.url;
}

async function migratePostgresTemplate(): Promise<void> {
  const name = await createPostgresTemplate();
  globalThis.undoGlobalSetup.push(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  process.env.TEST_POSTGRES_TEMPLATE = name;
}

async function migrateSqliteTemplate(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "gateway-template-"));
  globalThis.undoGlobalSetup.push(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "gateway.sqlite");
  await migrate(`sqlite:${file}`);
  process.env.TEST_SQLITE_TEMPLATE = file;
}

async function writeOpenApi(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "gateway-openapi-"));
  globalThis.undoGlobalSetup.push(() => rm(directory, { recursive: true, force: true }));
  const servers = serversOf({ productionUrl: undefined, stagingUrl: undefined, publicUrl: undefined });
  const file = join(directory, "openapi.json");
  await writeFile(file, JSON.stringify(createOpenApi(createSchema(), servers)));
  process.env.TEST_OPENAPI_FILE = file;
}
