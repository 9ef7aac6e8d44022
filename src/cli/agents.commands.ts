import type { Command } from "commander";
import { operatorFor } from "../auth/context";
import type { Agent } from "../features/agents/agent.entity";
import { CreateAgentInput, RenameAgentInput } from "../features/agents/agent.inputs";
import { validateInput } from "../schema/validate-input";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { print, printJson, printTable } from "./output";
import { addPageOptions, listPages, type PageOptions } from "./pages";
import { withServices } from "./services";

interface Json {
  json?: boolean;
}

export const description = "Agents";

/** Adds the commands of `gateway agents`. */
export function add(agents: Command): void {
  agents
    .command("add")
    .description("create an agent")
    .requiredOption("--org <slug>", "organization of the agent")
    .requiredOption("--slug <slug>", "unique short name")
    .requiredOption("--name <name>", "display name")
    .option("--json", "print one JSON object")
    .action(({ org, slug, name, json }: Json & { org: string; slug: string; name: string }) =>
      withServices(async (services) => {
        const input = Object.assign(new CreateAgentInput(), { slug, name });
        await validateInput(input);
        const organization = await services.organizations.bySlug(org);
        const agent = await services.agents.create(operatorFor(organization), input);
        if (json) printJson(describe({ ...agent, organization }));
        else print(`Created the agent ${slug}.`);
      }),
    );

  agents
    .command("rename")
    .description("change an agent's display name; its slug stays the same")
    .argument("<slug>", "slug of the agent")
    .argument("<name>", "the new display name")
    .option("--json", "print one JSON object")
    .action((slug: string, name: string, { json }: Json) =>
      withServices(async (services) => {
        const { id, organization } = await services.agents.bySlug(slug);
        const args = Object.assign(new RenameAgentInput(), { id, name });
        await validateInput(args);
        const agent = await services.agents.rename(operatorFor(organization), args);
        if (json) printJson(describe({ ...agent, organization }));
        else print(`${slug} is now called ${agent.name}.`);
      }),
    );

  addYesOption(agents.command("delete"))
    .description(
      "delete an agent without active keys, along with everything that belongs to it except its keys",
    )
    .argument("<slug>", "slug of the agent")
    .option("--json", "print one JSON object")
    .action((slug: string, options: Json & Confirmation) =>
      withServices(async (services) => {
        const { id, name, organization } = await services.agents.bySlug(slug);
        await confirm(`Delete the agent ${slug} (${name}), with its contacts and messages?`, options);
        const agent = await services.agents.delete(operatorFor(organization), id);
        if (options.json) printJson({ ...describe({ ...agent, organization }), deletedAt: agent.deletedAt });
        else print(`Deleted the agent ${slug}. The servers will remove its data within hours.`);
      }),
    );

  addPageOptions(agents.command("list"))
    .description("list agents, oldest first")
    .option("--org <slug>", "only agents of this organization")
    .option("--json", "print one JSON array")
    .action(({ org, json, ...pages }: Json & PageOptions & { org?: string }) =>
      withServices(async (services) => {
        if (org !== undefined) await services.organizations.bySlug(org);
        await listPages(
          pages,
          (page) => services.agents.listAll({ org, ...page }),
          (rows) => {
            if (json) printJson(rows.map(describe));
            else printTable(rows.map(describe), "No matching agents.");
          },
        );
      }),
    );
}

const describe = ({ id, slug, name, organization, createdAt }: Agent) => ({
  id,
  slug,
  name,
  organization: organization?.slug,
  createdAt,
});
