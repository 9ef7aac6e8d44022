import type { Command } from "commander";
import { operatorFor } from "../auth/context";
import { print, printJson } from "./output";
import { withServices } from "./services";

/** Adds the commands of `gateway messages`. */
export function addMessageCommands(messages: Command): void {
  messages
    .command("release")
    .description("let messages go that an earlier version queued and an upgrade has held back")
    .requiredOption("--agent <slug>", "agent that the messages belong to")
    .option("--json", "print one JSON object")
    .action(({ agent: slug, json }: { agent: string; json?: boolean }) =>
      withServices(async (services) => {
        const agent = await services.agents.bySlug(slug);
        const released = await services.messages.release(operatorFor(agent.organization), agent);
        if (json) printJson({ released });
        else print(`Released ${released} messages.`);
      }),
    );
}
