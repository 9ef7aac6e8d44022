import type { Command } from "commander";
import { loadConfig } from "../config";
import { backUp, restore } from "../database/sqlite/backup";
import { print, printJson } from "./output";
import { withDatabase, withServices } from "./services";
import { wholeNumber } from "./whole-number";

const MAX_PETS = 100_000_000;

/** Adds the commands `migrate`, `seed`, `backup` and `restore`. */
export function addDatabaseCommands(program: Command): void {
  program
    .command("migrate")
    .description("run the pending database migrations")
    .action(() =>
      withDatabase(async (database) => {
        const ran = await database.migrate();
        print(ran.length === 0 ? "The database is up to date." : `Ran ${ran.join(", ")}.`);
      }),
    );

  program
    .command("seed")
    .description("add sample pets")
    .requiredOption("--pets <n>", "number of pets to add", wholeNumber(0, MAX_PETS))
    .action(({ pets }: { pets: number }) =>
      withServices(async (services) => {
        await services.pets.seed(pets);
        print(`Added ${pets} pets.`);
      }),
    );

  for (const [command, description, copy, done] of [
    ["backup", "copy the embedded database to a file; works while the server runs", backUp, "Backed up to"],
    ["restore", "replace the embedded database with a backup; stop the server first", restore, "Restored"],
  ] as const) {
    program
      .command(command)
      .description(description)
      .argument("<file>", "path of the backup file")
      .option("--force", "overwrite an existing file")
      .option("--json", "print one JSON object")
      .action(async (file: string, { force, json }: { force?: true; json?: true }) => {
        const copied = await copy(loadConfig(process.env).databaseUrl, file, { force });
        if (json) printJson(copied);
        else print(`${done} ${copied.file} (${copied.bytes} bytes).`);
      });
  }
}
