import type { Command } from "commander";
import type { Agent } from "../features/agents/agent.entity";
import { decodeCursor, encodeCursor } from "../pagination/cursor";
import { mutation, query, type Run } from "./client";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { withClient, withRun } from "./connect";
import { addOrganizationOption, withAgent } from "./lookups";
import { fieldsOf, type Json, printResult, printRows, recordOf } from "./output";
import { addPageOptions, listPages, type Page, type PageOptions } from "./pages";

const AGENT = "id slug name organization { slug } createdAt";

const LIST = query("agents", "", AGENT);
const CREATE = mutation("createAgent", AGENT);
const RENAME = mutation("renameAgent", AGENT);
const DELETE = mutation("deleteAgent", `${AGENT} deletedAt`);

export const description = "Agents";

export function add(agents: Command): void {
  addOrganizationOption(agents.command("add"))
    .description("create an agent")
    .requiredOption("--slug <slug>", "unique short name")
    .requiredOption("--name <name>", "display name")
    .action(({ org, slug, name, json }: Json & { org?: string; slug: string; name: string }) =>
      withRun({ org }, async (run) => {
        const agent = await run<Agent>(CREATE, { input: { slug, name } });
        printResult(json, recordOf(agent), `Created the agent ${slug}.`);
      }),
    );

  agents
    .command("rename")
    .description("change an agent's display name; its slug stays the same")
    .argument("<slug>", "slug of the agent")
    .argument("<name>", "the new display name")
    .action((slug: string, name: string, { json }: Json) =>
      withAgent(slug, async (run, { id }) => {
        const agent = await run<Agent>(RENAME, { input: { id, name } });
        printResult(json, recordOf(agent), `${slug} is now called ${agent.name}.`);
      }),
    );

  addYesOption(agents.command("delete"))
    .description("delete an agent that has no active keys, with all of its data except the keys")
    .argument("<slug>", "slug of the agent")
    .action((slug: string, options: Json & Confirmation) =>
      withAgent(slug, async (run, { id, name }) => {
        await confirm(`Delete the agent ${slug} (${name}), with its contacts and messages?`, options);
        const agent = await run<Agent>(DELETE, { input: { id } });
        const done = `Deleted the agent ${slug}. The servers will remove its data within a few hours.`;
        printResult(options.json, recordOf(agent), done);
      }),
    );

  addPageOptions(agents.command("list"))
    .description("list agents, oldest first")
    .option("--org <slug>", "only agents of this organization")
    .option("--json", "print one JSON array")
    .action(({ org, json, ...pages }: Json & PageOptions & { org?: string }) =>
      withClient(async ({ about, services }) => {
        const read =
          services && org === undefined
            ? (page: Page) => services.agents.listAll(page)
            : await pagesOfOrganization(await about({ org }));
        await listPages(pages, read, (rows) =>
          printRows(
            json,
            rows.map((row) => fieldsOf(row, AGENT)),
            "id slug name organization createdAt",
            "No matching agents.",
          ),
        );
      }),
    );
}

/** Returns a function that reads a page of an organization's agents; the API returns all agents in one response. */
async function pagesOfOrganization(run: Run) {
  const agents = (await run<Agent[]>(LIST)).sort((one, other) => (one.id < other.id ? -1 : 1));
  return async ({ first, after }: Page) => {
    const afterId = after === null ? "" : decodeCursor("agent", after, (id) => /^[\w-]+$/.test(id));
    const rest = agents.filter(({ id }) => id > afterId);
    const nodes = rest.slice(0, first);
    const last = nodes.at(-1);
    return {
      nodes,
      pageInfo: {
        hasNextPage: rest.length > first,
        endCursor: last === undefined ? null : encodeCursor("agent", last.id),
      },
    };
  };
}
