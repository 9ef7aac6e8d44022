import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { MigrationInterface } from "typeorm";

type Migration = new () => MigrationInterface;

const FOLDER = join(__dirname, "migrations");

/** The migrations, oldest first: every file in `migrations/`, by the timestamp in its name. */
export const MIGRATIONS: readonly Migration[] = readdirSync(FOLDER)
  .filter((file) => /^\d+-[\w-]+\.[jt]s$/.test(file))
  .sort()
  .flatMap((file) => Object.values(require(join(FOLDER, file)) as Record<string, Migration>));
