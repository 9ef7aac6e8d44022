import type { Command } from "commander";
import { loadConfig } from "../config";
import { StartupError } from "../errors";
import type { Services } from "../features";
import { type SampleCounts, seedConversations } from "../features/samples/seed-conversations";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { counted, print, printJson } from "./output";
import { withServices } from "./services";
import { addOnDatabase } from "./target";
import { wholeNumber } from "./values";

const MAX_ROWS = 100_000_000;

const PROGRESS_INTERVAL_MS = 5_000;

interface Options extends Partial<SampleCounts>, Confirmation {
  pets?: number;
  agent?: string;
  line?: string;
  force?: true;
  json?: boolean;
}

export function add(program: Command): void {
  const rows = wholeNumber(0, MAX_ROWS);
  addYesOption(addOnDatabase(program, "seed"))
    .description("add sample pets, or sample contacts, conversations and messages for an agent")
    .option("--pets <n>", "number of pets to add", rows)
    .option("--agent <slug>", "agent to add the contacts, conversations and messages to")
    .option("--line <name>", "line for the conversations; the agent's default line if omitted")
    .option("--contacts <n>", "number of contacts to add, each with an address and tags", rows)
    .option("--conversations <n>", "number of conversations to add, spread over these contacts", rows)
    .option("--messages <n>", "number of delivered messages to add, spread over these conversations", rows)
    .option("--queued <n>", "number of additional messages to queue; a server sends them", rows)
    .option("--force", "add contacts, conversations and messages even in production")
    .action(async (options: Options, command: Command) => {
      const { pets, agent, contacts = 0, conversations = 0, messages = 0, queued = 0 } = options;
      if (agent === undefined && contacts + conversations + messages + queued > 0)
        command.error("error: contacts, conversations and messages require --agent <slug>");
      if (pets === undefined && agent === undefined)
        command.error("error: --pets <n> or --agent <slug> is required");
      if (conversations > 0 && contacts === 0)
        command.error("error: --conversations <n> requires --contacts <n>");
      if (agent !== undefined) await assertIntended(agent, options);
      await withServices(async (services) => {
        const counts = { contacts, conversations, messages, queued };
        // Before the pets, so that an unknown agent or line leaves the database unchanged.
        if (agent !== undefined) await seedAgent(services, agent, options.line, counts);
        if (pets !== undefined) await services.pets.seed(pets);
        if (options.json) printJson(agent === undefined ? { added: pets } : { pets, ...counts });
        else {
          if (pets !== undefined) print(`Added ${counted(pets, "pet")}.`);
          if (agent !== undefined)
            print(
              `Added ${counted(contacts, "contact")}, ${counted(conversations, "conversation")}, ${counted(messages, "message")} and ${counted(queued, "queued message")}.`,
            );
        }
      });
    });
}

/** @throws StartupError without `--force` in production, where lists and counts would include the samples */
async function assertIntended(agent: string, options: Options): Promise<void> {
  if (loadConfig(process.env).environment !== "production") return;
  if (!options.force)
    throw new StartupError("this is a production database (use --force to add sample contacts anyway)");
  await confirm(`Add sample contacts and messages to ${agent} in production?`, options);
}

async function seedAgent(
  services: Services,
  slug: string,
  line: string | undefined,
  counts: SampleCounts,
): Promise<void> {
  const { id: agentId } = await services.agents.bySlug(slug);
  let shownAt = performance.now();
  await seedConversations(services, { agentId, line }, counts, (done) => {
    if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) return;
    shownAt = performance.now();
    const parts = Object.entries(done).map(
      ([name, count]) => `${count} of ${counts[name as keyof SampleCounts]} ${name}`,
    );
    process.stderr.write(`Added ${parts.join(", ")}.\n`);
  });
}
