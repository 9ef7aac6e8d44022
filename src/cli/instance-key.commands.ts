import type { Command } from "commander";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { withServices } from "./connect";
import { type Json, printResult } from "./output";
import { addOnDatabase } from "./target";

export const description = "The key that encrypts signing secrets and stored credentials";

export function add(instanceKey: Command): void {
  addYesOption(addOnDatabase(instanceKey, "replace"))
    .description(
      "replace a lost instance key and discard all signing secrets and credentials; stop the servers first",
    )
    .action((options: Json & Confirmation) =>
      withServices(async ({ instanceKey }) => {
        await confirm("Discard all signing secrets and stored credentials?", options);
        await instanceKey.replace();
        printResult(options.json, { replaced: true }, "The instance key was replaced.");
      }),
    );
}
