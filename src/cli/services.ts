import { existsSync } from "node:fs";
import { resolve } from "node:path";
import pino from "pino";
import { loadConfig } from "../config";
import { Database } from "../database/database";
import { StartupError } from "../errors";
import { createDataSource, createServices, type Services } from "../features";
import { logOptions } from "../logger";

/** Connects to the database of the settings, does the work, and lets go again. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { databaseUrl, databasePoolSize } = loadConfig(process.env);
  const database = await Database.open(createDataSource(databaseUrl, databasePoolSize));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** As `withDatabase`, with the services that the server works with. @throws StartupError before `migrate` was run */
export function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const config = loadConfig(process.env);
  assertThere(config.databaseUrl);
  return withDatabase(async (database) => {
    if ((await database.pendingMigrations()).length > 0) {
      throw new StartupError(
        'the database is not up to date: start the server or run "gateway migrate" first',
      );
    }
    return work(
      createServices({
        database,
        config,
        log: pino(logOptions("warn"), pino.destination(2)),
      }),
    );
  });
}

/** Connecting would make an empty file: a command typed in another folder would work on a database of its own. */
function assertThere(databaseUrl: string): void {
  const file = databaseUrl.startsWith("sqlite:") ? resolve(databaseUrl.slice("sqlite:".length)) : undefined;
  if (file !== undefined && !existsSync(file)) {
    throw new StartupError(`there is no database at ${file}; set DATABASE_URL, or start the server first`);
  }
}
