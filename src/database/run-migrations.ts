import { type DataSource, MigrationExecutor, type QueryRunner } from "typeorm";
import { StartupError } from "../errors";
import { databaseLabel, starting } from "./database-label";

/**
 * Runs the pending migrations.
 * @param locked runs work in a transaction that excludes other processes
 * @returns the names of the applied migrations
 * @throws StartupError with the database label, including when the schema is newer than this version
 */
export async function runMigrations(
  source: DataSource,
  locked: <T>(run: (runner: QueryRunner | undefined) => Promise<T>) => Promise<T>,
): Promise<string[]> {
  const run = () =>
    locked(async (runner) => {
      const executor = new MigrationExecutor(source, runner);
      executor.transaction = "none";
      await assertNotNewer(source, executor);
      return executor.executePendingMigrations();
    });
  return (await starting(source, run)).map(({ name }) => name);
}

/**
 * Returns the names of the pending migrations.
 * @throws StartupError with the database label, including when the schema is newer than this version
 */
export async function pendingMigrations(source: DataSource): Promise<string[]> {
  const executor = new MigrationExecutor(source);
  const pending = async () => {
    await assertNotNewer(source, executor);
    return executor.getPendingMigrations();
  };
  return (await starting(source, pending)).map(({ name }) => name);
}

/** An older binary must never write to a newer schema. */
async function assertNotNewer(source: DataSource, executor: MigrationExecutor): Promise<void> {
  const known = new Set((await executor.getAllMigrations()).map(({ name }) => name));
  const [unknown] = (await executor.getExecutedMigrations()).filter(({ name }) => !known.has(name));
  if (unknown !== undefined) {
    throw new StartupError(
      `the database ${databaseLabel(source)} was migrated by a newer or unreleased version of ` +
        `this program (${unknown.name}). Run that version, or restore an older backup`,
    );
  }
}
