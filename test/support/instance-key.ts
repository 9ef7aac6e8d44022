import pino from "pino";
import { loadConfig } from "../../src/config";
import { Database } from "../../src/database/database";
import { createDataSource, createServices, type Services } from "../../src/features";

/** Runs work with the services of a process that has these settings. */
export async function withServices<T>(
  env: Record<string, string>,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  const database = await Database.open(createDataSource(config.databaseUrl));
  try {
    await database.migrate();
    return await work(createServices({ database, config, log: pino({ level: "silent" }) }));
  } finally {
    await database.close();
  }
}

/** Makes the database depend on the key in these settings. */
export const depend = (env: Record<string, string>) =>
  withServices(env, ({ database, instanceKey }) =>
    database.write(async (tx) => void (await instanceKey.required(tx))),
  );
