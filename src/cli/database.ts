import type { Command } from "commander";
import { loadConfig } from "../config";
import { backUp, restore } from "../database/sqlite/backup";
import { MOVE_RESTORED_POSITIONS } from "../features/events/move-restored-positions";
import { PAUSE_RESTORED_LINES } from "../features/lines/pause-restored-lines";
import { DISABLE_RESTORED_ENDPOINTS } from "../features/webhooks/disable-restored-endpoints";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { print, printJson } from "./output";
import { withDatabase } from "./services";

interface Json {
  json?: boolean;
}

/** Adds the commands `migrate`, `backup` and `restore`. */
export function addDatabaseCommands(program: Command): void {
  program
    .command("migrate")
    .description("run the pending database migrations")
    .option("--json", "print one JSON object")
    .action(({ json }: Json) =>
      withDatabase(async (database) => {
        const ran = await database.migrate();
        if (json) printJson({ ran });
        else print(ran.length === 0 ? "The database is up to date." : `Ran ${ran.join(", ")}.`);
      }),
    );

  program
    .command("backup")
    .description("copy the embedded database to a file; works while the server runs")
    .argument("<file>", "path of the backup file")
    .option("--force", "overwrite an existing file")
    .option("--json", "print one JSON object")
    .action(async (file: string, { force, json }: Json & { force?: true }) => {
      const copied = await backUp(loadConfig(process.env).databaseUrl, file, { force });
      if (json) printJson(copied);
      else print(`Backed up to ${copied.file} (${copied.bytes} bytes).`);
    });

  addYesOption(program.command("restore"))
    .description("replace the embedded database with a backup; stop the server first")
    .argument("<file>", "path of the backup file")
    .option("--force", "overwrite an existing database")
    .option("--json", "print one JSON object")
    .action(async (file: string, options: Json & Confirmation & { force?: true }) => {
      if (options.force)
        await confirm(`Replace the database with ${file}? Its current data is lost.`, options);
      const copied = await restore(loadConfig(process.env).databaseUrl, file, {
        force: options.force,
        afterwards: [PAUSE_RESTORED_LINES, MOVE_RESTORED_POSITIONS, ...DISABLE_RESTORED_ENDPOINTS],
      });
      if (options.json) printJson(copied);
      else {
        print(`Restored ${copied.file} (${copied.bytes} bytes).`);
        print(
          'Its lines are paused, so that no old message is sent; "gateway lines resume" puts them back into use.',
        );
        print('Its webhook endpoints are disabled; "gateway webhooks enable" puts them back into use.');
      }
    });
}
