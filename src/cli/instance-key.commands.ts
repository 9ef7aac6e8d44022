import type { Command } from "commander";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { print, printJson } from "./output";
import { withServices } from "./services";

export const description = "The key of signing secrets and stored credentials";

/** Adds the commands of `gateway instance-key`. */
export function add(instanceKey: Command): void {
  addYesOption(instanceKey.command("replace"))
    .description(
      "give up a lost instance key, with all signing secrets and credentials; stop the servers first",
    )
    .option("--json", "print one JSON object")
    .action((options: Confirmation & { json?: boolean }) =>
      withServices(async ({ instanceKey }) => {
        await confirm("Give up all signing secrets and stored credentials?", options);
        await instanceKey.replace();
        if (options.json) printJson({ replaced: true });
        else print("The instance key was replaced.");
      }),
    );
}
