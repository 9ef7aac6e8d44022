import type { Command } from "commander";
import { StartupError } from "../errors";
import { print } from "./output";
import { withDatabase, withServices } from "./session";

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
    .requiredOption("--pets <n>", "how many")
    .action(({ pets }: { pets: string }) =>
      withServices(async (services) => {
        const count = Number(pets);
        if (!Number.isSafeInteger(count) || count < 0)
          throw new StartupError("--pets must be a whole number");
        await services.pets.seed(count);
        print(`Added ${count} animals.`);
      }),
    );
}
