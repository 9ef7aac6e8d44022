import { existsSync } from "node:fs";
import { resolve } from "node:path";
import pino from "pino";
import { loadConfig } from "../config";
import { Database } from "../database/database";
import { StartupError } from "../errors";
import { createDataSource, createServices, type Services } from "../features";
import { logOptions } from "../logger";
import { validateInput } from "../schema/validate-input";

/** Opens the configured database for the duration of `work`. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { databaseUrl, databasePoolSize } = loadConfig(process.env);
  const database = await Database.open(createDataSource(databaseUrl, databasePoolSize));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Creates the input of a service method, or throws InvalidInput. */
export type ValidInput = <T extends object>(type: new () => T, values: object) => Promise<T>;

const validInput: ValidInput = async (type, values) => {
  const input = Object.assign(new type(), values);
  await validateInput(input);
  return input;
};

/** Runs `work` with the services that the server uses; throws a StartupError if migrations are pending. */
export function withServices<T>(work: (services: Services, valid: ValidInput) => Promise<T>): Promise<T> {
  const config = loadConfig(process.env);
  assertDatabaseExists(config.databaseUrl);
  return withDatabase(async (database) => {
    if ((await database.pendingMigrations()).length > 0) {
      throw new StartupError(
        'the database is not up to date: start the server or run "gateway migrate" first',
      );
    }
    const services = createServices({
      database,
      config,
      log: pino(logOptions("warn"), pino.destination(2)),
    });
    try {
      return await work(services, validInput);
    } finally {
      services.targets.close();
    }
  });
}

/** Rejects a missing SQLite file, because connecting would create it, for example in the wrong folder. */
function assertDatabaseExists(databaseUrl: string): void {
  const file = databaseUrl.startsWith("sqlite:") ? resolve(databaseUrl.slice("sqlite:".length)) : undefined;
  if (file !== undefined && !existsSync(file)) {
    throw new StartupError(`no database found at ${file}: set DATABASE_URL, or start the server first`);
  }
}
