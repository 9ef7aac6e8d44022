import type { Command } from "commander";
import { print } from "./output";
import { withDatabase, withServices } from "./session";
import { wholeNumber } from "./whole-number";

const MOST_PETS = 100_000_000;

/** `gateway migrate` and `gateway seed` */
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
    .requiredOption("--pets <n>", "how many", wholeNumber(0, MOST_PETS))
    .action(({ pets }: { pets: number }) =>
      withServices(async (services) => {
        await services.pets.seed(pets);
        print(`Added ${pets} animals.`);
      }),
    );
}
