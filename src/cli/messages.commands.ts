import { type Command, Option } from "commander";
import { operatorFor } from "../auth/context";
import { type ErrorCode, GatewayError, StartupError } from "../errors";
import type { Services } from "../features";
import type { Agent } from "../features/agents/agent.entity";
import type { Message } from "../features/messages/message.entity";
import type { MessageStatus } from "../features/messages/message.enums";
import { type Client, mutation } from "./client";
import { withClient, withServices } from "./connect";
import { withAgent } from "./lookups";
import { counted, type Json, print, printJson, printResult, printRows } from "./output";
import { addPageOptions, listPages, MAX_PAGE, type PageOptions, pagesOf } from "./pages";
import { addOnDatabase } from "./target";
import { choicesOf } from "./values";

/** Max length of a message text in a table (code points). */
const TEXT_MAX_LENGTH = 40;

const MESSAGE =
  "id status heldReason notBefore sendAt scheduledReason scheduledBy topic attempts errorCode errorText providerId conversationId sequence author message: text createdAt expiresAt sentAt deliveredAt";
const STATUSES = choicesOf<MessageStatus>({
  proposed: true,
  scheduled: true,
  queued: true,
  sending: true,
  sent: true,
  delivered: true,
  read: true,
  canceled: true,
  failed: true,
  received: true,
});

/** Codes of errors that concern only one message. */
const ABOUT_ONE_MESSAGE: readonly ErrorCode[] = ["not_found", "conflict", "invalid_request"];

const CANCEL = mutation("cancelMessage", MESSAGE);

interface ListOptions extends PageOptions {
  agent: string;
  status?: MessageStatus;
  json?: boolean;
}

type Row = Message & { message: string };

export const description = "Agents' messages";

export function add(messages: Command): void {
  addPageOptions(messages.command("list"))
    .description("list an agent's messages, oldest first")
    .requiredOption("--agent <slug>", "slug of the agent")
    .addOption(new Option("--status <status>", "only messages with this status").choices(STATUSES))
    .option("--json", "print one JSON array")
    .action(({ agent, status, json, ...pages }: ListOptions) =>
      withAgent(agent, (run, { id: agentId }) =>
        listPages(
          pages,
          pagesOf<Row>(run, "messages", "agentId: ID, status: MessageStatus", MESSAGE, { agentId, status }),
          (rows) =>
            printRows(
              json,
              rows,
              "createdAt status heldReason notBefore attempts errorCode errorText sentAt conversationId message id",
              "No matching messages.",
              toRow,
            ),
        ),
      ),
    );

  messages
    .command("cancel")
    .description("cancel messages that have not been sent")
    .argument("<id...>", "IDs of the messages")
    .option("--json", "print one JSON array")
    .action((ids: string[], { json }: Json) => withClient((client) => cancel(client, ids, json)));

  addOnDatabase(messages, "release")
    .description("release messages that an earlier version queued and an upgrade held back")
    .option("--agent <slug>", "only this agent's messages")
    .addOption(new Option("--all", "messages of all agents in all organizations").conflicts("agent"))
    .action(({ agent, all, json }: Json & { agent?: string; all?: boolean }, command: Command) => {
      if (agent === undefined && !all) command.error("error: --agent <slug> or --all is required");
      return withServices(async (services) => {
        let released = 0;
        if (agent !== undefined) released = await release(services, await services.agents.bySlug(agent));
        else for await (const each of allAgents(services)) released += await release(services, each);
        printResult(json, { released }, `Released ${counted(released, "message")}.`);
      });
    });
}

/** @throws StartupError that names the messages that cannot be canceled, after printing the canceled ones */
async function cancel(client: Client, ids: readonly string[], json: boolean | undefined): Promise<void> {
  const canceled: Row[] = [];
  const rejected: string[] = [];
  for (const id of ids) {
    try {
      const run = await client.about({ message: id });
      canceled.push(await run<Row>(CANCEL, { input: { id } }));
    } catch (error) {
      if (!(error instanceof GatewayError) || !ABOUT_ONE_MESSAGE.includes(error.code)) throw error;
      rejected.push(`${id}: ${error.message}`);
    }
  }
  if (json) printJson(canceled);
  else for (const { id } of canceled) print(`${id} was canceled.`);
  if (rejected.length > 0) throw new StartupError(rejected.join(" "));
}

/** Yields the agents of all organizations, read page by page. */
async function* allAgents(services: Services): AsyncGenerator<Agent> {
  let after: string | null = null;
  do {
    const { nodes, pageInfo } = await services.agents.listAll({ first: MAX_PAGE, after });
    yield* nodes;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
}

const release = async (services: Services, agent: Agent): Promise<number> =>
  agent.organization === undefined ? 0 : services.messages.release(operatorFor(agent.organization), agent);

const toRow = ({ status, sendAt, notBefore, errorText, message, ...rest }: Row) => ({
  ...rest,
  status,
  notBefore: status === "scheduled" ? sendAt : notBefore,
  errorText: errorText === null ? null : shortened(errorText),
  message: shortened(message),
});

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > TEXT_MAX_LENGTH ? `${characters.slice(0, TEXT_MAX_LENGTH - 1).join("")}…` : text;
}
