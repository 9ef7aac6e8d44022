import { type Command, Option } from "commander";
import { operatorFor, type RequestContext } from "../auth/context";
import { StartupError } from "../errors";
import type { Services } from "../features";
import type { Agent } from "../features/agents/agent.entity";
import { PublishConfigurationInput } from "../features/configuration/configuration.inputs";
import { digestOf } from "../features/configuration/document/canonical-json";
import { checkDocument, type DocumentCheck } from "../features/configuration/document/check-document";
import { validateInput } from "../schema/validate-input";
import { printProblem, readDocument } from "./document-file";
import { print, printIndentedJson, printJson } from "./output";
import { withServices } from "./services";
import { wholeNumber } from "./whole-number";

const MAX_VERSION = 2 ** 31 - 1;
const versionNumber = wholeNumber(1, MAX_VERSION);

interface AgentOption {
  agent: string;
}

interface PublishOptions extends AgentOption {
  expect?: number;
  note?: string;
  json?: boolean;
}

export const description = "Agents' rules and message texts";

/** Adds the commands of `gateway configuration`. */
export function add(configuration: Command): void {
  configuration
    .command("get")
    .description("print an agent's live configuration as JSON, in the form that `publish` accepts")
    .requiredOption("--agent <slug>", "agent that the configuration belongs to")
    .addOption(new Option("--version <n>", "another version").argParser(versionNumber).conflicts("draft"))
    .option("--draft", "the draft")
    .option("--json", "print one JSON object with the document, its version and digest")
    .action(({ agent, version, draft, json }: GetOptions) =>
      withAgent(agent, async (services, context, { id }) => {
        const found = draft
          ? await services.configurations.draft(context, id)
          : await services.configurations.find(context, id, version);
        if (found === null) {
          throw new StartupError(draft ? `${agent} has no draft` : `${agent} has no version ${version}`);
        }
        const { agentId: _, agent: __, ...rest } = found;
        if (json) printJson(rest);
        else printIndentedJson(found.document);
      }),
    );

  configuration
    .command("check")
    .description("check a configuration document without a database; exit code 1 if it cannot be published")
    .argument("<file>", "the document as JSON")
    .option("--json", "print one JSON object")
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { problems, warnings } = await checkedDocument(file, json);
      if (json) printJson({ problems, warnings });
      else print(`${file} is valid.`);
    });

  configuration
    .command("publish")
    .description("publish a configuration document; a draft is left unchanged")
    .argument("<file>", "the document as JSON")
    .requiredOption("--agent <slug>", "agent that the configuration belongs to")
    .addOption(
      new Option(
        "--expect <version>",
        "fail if another version is live (default: the version that is live when the command starts)",
      ).argParser(versionNumber),
    )
    .option("--note <text>", "what has changed")
    .option("--json", "print one JSON object")
    .action((file: string, { agent, ...options }: PublishOptions) =>
      withAgent(agent, (services, context, { id }) => publish(services, context, id, file, options)),
    );
}

interface GetOptions extends AgentOption {
  version?: number;
  draft?: boolean;
  json?: boolean;
}

async function publish(
  { configurations }: Services,
  context: RequestContext,
  agentId: string,
  file: string,
  { expect, note, json }: Omit<PublishOptions, "agent">,
): Promise<void> {
  const live = await configurations.find(context, agentId);
  if (!live) throw new StartupError("the agent has no configuration");
  const input = Object.assign(new PublishConfigurationInput(), {
    agentId,
    expectedLiveVersion: expect ?? live.version,
    note,
  });
  await validateInput(input);
  const { document, warnings } = await checkedDocument(file, json, (document) =>
    configurations.check(context, document, agentId),
  );
  // A pipeline publishes on every commit, and most commits change something else.
  const isLive = live.digest === digestOf(document) && live.version === input.expectedLiveVersion;
  const { version, digest } = isLive ? live : await configurations.publish(context, { ...input, document });
  if (json) printJson({ version, digest, published: !isLive, warnings });
  else print(isLive ? `Version ${version} already contains this document.` : `Published version ${version}.`);
}

/**
 * Reads and checks a document, and prints its problems.
 * @param json true to print JSON, and only for an invalid document
 * @throws StartupError for a document that cannot be published
 */
async function checkedDocument(
  file: string,
  json: boolean | undefined,
  check: (document: unknown) => Promise<DocumentCheck> = checkDocument,
) {
  const document = await readDocument(file);
  const { problems, warnings } = await check(document);
  if (!json) {
    for (const problem of problems) printProblem(file, document, problem);
    for (const warning of warnings) printProblem(file, document, warning, "warning: ");
  }
  if (problems.length === 0) return { document, problems, warnings };
  if (json) printJson({ problems, warnings });
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  throw new StartupError(`${file} has ${count}`);
}

/** Runs `work` with an agent, as the operator of its organization. */
const withAgent = (
  slug: string,
  work: (services: Services, context: RequestContext, agent: Agent) => Promise<void>,
): Promise<void> =>
  withServices(async (services) => {
    const agent = await services.agents.bySlug(slug);
    await work(services, operatorFor(agent.organization), agent);
  });
