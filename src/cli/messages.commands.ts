import { type Command, Option } from "commander";
import { operatorFor } from "../auth/context";
import { GatewayError, StartupError } from "../errors";
import type { Services } from "../features";
import type { Agent } from "../features/agents/agent.entity";
import type { Message } from "../features/messages/message.entity";
import { MessageStatus } from "../features/messages/message.enums";
import { MessagesArgs } from "../features/messages/message.inputs";
import { MAX_PAGE } from "../pagination/connection";
import { print, printJson, printTable } from "./output";
import { addPageOptions, listPages, type PageOptions } from "./pages";
import { withServices } from "./services";

/** Max length of a message text in a table (code points). */
const TEXT_MAX_LENGTH = 40;

interface ListOptions extends PageOptions {
  agent: string;
  status?: MessageStatus;
  json?: boolean;
}

export const description = "Messages of agents";

/** Adds the commands of `gateway messages`. */
export function add(messages: Command): void {
  addPageOptions(messages.command("list"))
    .description("list the messages of an agent, oldest first")
    .requiredOption("--agent <slug>", "agent that the messages belong to")
    .addOption(
      new Option("--status <status>", "only messages with this status").choices(Object.values(MessageStatus)),
    )
    .option("--json", "print one JSON array")
    .action(({ agent: slug, status, json, ...pages }: ListOptions) =>
      withServices(async (services) => {
        const { id: agentId, organization } = await services.agents.bySlug(slug);
        await listPages(
          pages,
          (page) =>
            services.messages.list(operatorFor(organization), {
              ...new MessagesArgs(),
              agentId,
              status,
              ...page,
            }),
          (rows) => {
            if (json) printJson(rows.map(describe));
            else printTable(rows.map(toRow), "No matching messages.");
          },
        );
      }),
    );

  messages
    .command("cancel")
    .description("cancel messages that have not been sent")
    .argument("<id...>", "their IDs")
    .option("--json", "print one JSON array")
    .action((ids: string[], { json }: { json?: boolean }) =>
      withServices((services) => cancel(services, ids, json)),
    );

  messages
    .command("release")
    .description("release messages that an earlier version queued and an upgrade held back")
    .option("--agent <slug>", "only messages of this agent")
    .addOption(new Option("--all", "messages of all agents in all organizations").conflicts("agent"))
    .option("--json", "print one JSON object")
    .action(({ agent, all, json }: { agent?: string; all?: boolean; json?: boolean }, command: Command) => {
      if (agent === undefined && !all) command.error("error: --agent <slug> or --all is required");
      return withServices(async (services) => {
        let released = 0;
        if (agent !== undefined) released = await release(services, await services.agents.bySlug(agent));
        else for await (const each of allAgents(services)) released += await release(services, each);
        if (json) printJson({ released });
        else print(`Released ${released} messages.`);
      });
    });
}

/**
 * Cancels the messages that can be canceled.
 * @throws StartupError that names the messages that cannot be canceled, after printing the canceled ones
 */
async function cancel(services: Services, ids: readonly string[], json: boolean | undefined): Promise<void> {
  const canceled: Message[] = [];
  const rejected: string[] = [];
  for (const id of ids) {
    try {
      const organization = await services.messages.organizationOf(id);
      canceled.push(await services.conversationChanges.cancelMessage(operatorFor(organization), id));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code === "unavailable") throw error;
      rejected.push(`${id}: ${error.message}`);
    }
  }
  if (json) printJson(canceled.map(describe));
  else for (const { id } of canceled) print(`${id} was canceled.`);
  if (rejected.length > 0) throw new StartupError(rejected.join(" "));
}

/** Yields the agents of all organizations, read page by page. */
async function* allAgents(services: Services): AsyncGenerator<Agent> {
  let after: string | null = null;
  do {
    const { nodes, pageInfo } = await services.agents.listAll({ org: undefined, first: MAX_PAGE, after });
    yield* nodes;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
}

const release = async (services: Services, agent: Agent): Promise<number> =>
  agent.organization === undefined ? 0 : services.messages.release(operatorFor(agent.organization), agent);

const describe = (message: Message) => ({
  id: message.id,
  status: message.status,
  heldReason: message.heldReason,
  notBefore: message.notBefore,
  sendAt: message.sendAt,
  scheduledReason: message.scheduledReason,
  scheduledBy: message.scheduledBy,
  topic: message.topic,
  attempts: message.attempts,
  errorCode: message.errorCode,
  errorText: message.errorText,
  providerId: message.providerId,
  conversationId: message.conversationId,
  sequence: message.sequence,
  author: message.author,
  message: message.text,
  createdAt: message.createdAt,
  expiresAt: message.expiresAt,
  sentAt: message.sentAt,
  deliveredAt: message.deliveredAt,
});

const toRow = ({ id, status, text, ...rest }: Message) => ({
  createdAt: rest.createdAt,
  status,
  heldReason: rest.heldReason,
  notBefore: status === MessageStatus.scheduled ? rest.sendAt : rest.notBefore,
  attempts: rest.attempts,
  errorCode: rest.errorCode,
  errorText: rest.errorText === null ? null : shortened(rest.errorText),
  sentAt: rest.sentAt,
  conversationId: rest.conversationId,
  message: shortened(text),
  id,
});

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > TEXT_MAX_LENGTH ? `${characters.slice(0, TEXT_MAX_LENGTH - 1).join("")}…` : text;
}
