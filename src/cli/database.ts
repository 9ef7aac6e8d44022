import type { Command } from "commander";
import { operatorFor } from "../auth/context";
import { loadConfig } from "../config";
import { backUp, restore } from "../database/sqlite/backup";
import { restoreSteps } from "../features/restores/restore-steps";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { type Json, printResult } from "./output";
import { withDatabase, withServices } from "./services";
import { addOnDatabase } from "./target";

const HELD = [
  'Its lines are paused so that no old messages are sent. Resume them with "gateway lines resume".',
  'Its webhook endpoints are disabled. Enable them with "gateway webhooks enable".',
  'When you have reviewed the restore, confirm it with "gateway restored --same".',
].join("\n");
const CONFIRMED = "Confirmed. No lines were resumed, and no webhook endpoints were enabled.";

/** Adds the commands `migrate`, `backup`, `restore` and `restored`. */
export function add(program: Command): void {
  addOnDatabase(program, "migrate")
    .description("run the pending database migrations")
    .action(({ json }: Json) =>
      withDatabase(async (database) => {
        const ran = await database.migrate();
        const text = ran.length === 0 ? "The database is up to date." : `Ran ${ran.join(", ")}.`;
        printResult(json, { ran }, text);
      }),
    );

  addOnDatabase(program, "backup")
    .description("copy the embedded database to a file, even while the server is running")
    .argument("<file>", "path of the backup file")
    .option("--force", "overwrite an existing file")
    .action(async (file: string, { force, json }: Json & { force?: true }) => {
      const copied = await backUp(loadConfig(process.env).databaseUrl, file, { force });
      printResult(json, copied, `Backed up to ${copied.file} (${copied.bytes} bytes).`);
    });

  addYesOption(addOnDatabase(program, "restore"))
    .description("replace the embedded database with a backup; stop the server first")
    .argument("<file>", "path of the backup file")
    .option("--force", "overwrite an existing database")
    .action(async (file: string, options: Json & Confirmation & { force?: true }) => {
      if (options.force)
        await confirm(`Replace the database with ${file}? Its current data will be lost.`, options);
      const copied = await restore(loadConfig(process.env).databaseUrl, file, {
        force: options.force,
        afterwards: restoreSteps(),
      });
      printResult(options.json, copied, `Restored ${copied.file} (${copied.bytes} bytes).\n${HELD}`);
    });

  addYesOption(addOnDatabase(program, "restored"))
    .description(
      "pause all lines and disable all webhook endpoints, so that a restored database does not resend old messages and events",
    )
    .option(
      "--same",
      "confirm that this database may deliver messages, without resuming lines or enabling endpoints",
    )
    .action((options: Json & Confirmation & { same?: true }) =>
      withServices(async ({ restores }) => {
        if (options.same) await restores.confirmSame();
        else {
          await confirm("Pause all lines and disable all webhook endpoints?", options);
          await restores.declareRestored(operatorFor);
        }
        const text = options.same ? CONFIRMED : HELD;
        printResult(options.json, { restoredAt: await restores.restoredAt() }, text);
      }),
    );
}
