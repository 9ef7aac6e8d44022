import type { Command } from "commander";
import { operatorFor } from "../auth/context";
import type { Agent } from "../features/agents/agent.entity";
import { NewAgent } from "../features/agents/agent.inputs";
import { validateInput } from "../schema/validate-input";
import { print, printJson, printTable } from "./output";
import { withServices } from "./services";

interface Options {
  org: string;
  json?: boolean;
}

/** Adds the commands of `gateway agents`. */
export function addAgentCommands(agents: Command): void {
  agents
    .command("add")
    .description("create an agent")
    .requiredOption("--org <slug>", "organization of the agent")
    .requiredOption("--slug <slug>", "unique short name")
    .requiredOption("--name <name>", "display name")
    .option("--json", "print one JSON object")
    .action(({ org, slug, name, json }: Options & { slug: string; name: string }) =>
      withServices(async (services) => {
        const input = Object.assign(new NewAgent(), { slug, name });
        await validateInput(input);
        const agent = await services.agents.create(
          operatorFor(await services.organizations.bySlug(org)),
          input,
        );
        if (json) printJson(describe(agent));
        else print(`Created the agent ${slug}.`);
      }),
    );

  agents
    .command("list")
    .description("list the agents of an organization")
    .requiredOption("--org <slug>", "slug of the organization")
    .option("--json", "print one JSON array")
    .action(({ org, json }: Options) =>
      withServices(async (services) => {
        const context = operatorFor(await services.organizations.bySlug(org));
        const records = (await services.agents.list(context)).map(describe);
        if (json) printJson(records);
        else printTable(records, "The organization has no agents.");
      }),
    );
}

const describe = ({ id, slug, name, createdAt }: Agent) => ({ id, slug, name, createdAt });
