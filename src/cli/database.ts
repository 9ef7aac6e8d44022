import type { Command } from "commander";
import { loadConfig } from "../config";
import { backUp, restore } from "../database/sqlite/backup";
import { print, printJson } from "./output";
import { withDatabase, withServices } from "./services";
import { wholeNumber } from "./whole-number";

const MAX_PETS = 100_000_000;

/** `gateway migrate`, `seed`, `backup` and `restore` */
export function addDatabaseCommands(program: Command): void {
  program
    .command("migrate")
    .description("bring the tables of the database up to date")
    .action(() =>
      withDatabase(async (database) => {
        const ran = await database.migrate();
        print(ran.length === 0 ? "The database is up to date." : `Ran ${ran.join(", ")}.`);
      }),
    );

  program
    .command("seed")
    .description("add made-up animals, to try things on")
    .requiredOption("--pets <n>", "how many", wholeNumber(0, MAX_PETS))
    .action(({ pets }: { pets: number }) =>
      withServices(async (services) => {
        await services.pets.seed(pets);
        print(`Added ${pets} animals.`);
      }),
    );

  for (const [command, description, copy, done] of [
    ["backup", "copy the embedded database to a file, also while the server runs", backUp, "Backed up to"],
    ["restore", "replace the embedded database by a backup, while no server runs", restore, "Restored"],
  ] as const) {
    program
      .command(command)
      .description(description)
      .argument("<file>", "the backup")
      .option("--force", "replace what is there already")
      .option("--json", "print one JSON object")
      .action(async (file: string, { force, json }: { force?: true; json?: true }) => {
        const copied = await copy(loadConfig(process.env).databaseUrl, file, { force });
        if (json) printJson(copied);
        else print(`${done} ${copied.file} (${copied.bytes} bytes).`);
      });
  }
}
