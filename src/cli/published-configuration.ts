import { operatorFor, type RequestContext } from "../auth/context";
import { InvalidInput, StartupError } from "../errors";
import type { Services } from "../features";
import type { Agent } from "../features/agents/agent.entity";
import { PublishConfigurationInput } from "../features/configuration/configuration.inputs";
import { digestOf } from "../features/configuration/document/canonical-json";
import { validateInput } from "../schema/validate-input";
import type { GetOptions, PublishOptions } from "./configuration.commands";
import { checkedDocument } from "./document-check";
import { print, printIndentedJson, printJson } from "./output";
import { withServices } from "./services";

/** Prints a version or the draft. */
export const get = ({ agent, version, draft, json }: GetOptions): Promise<void> =>
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
  });

/** Publishes a document, unless it is already live. */
export const publish = (file: string, { agent, ...options }: PublishOptions): Promise<void> =>
  withAgent(agent, (services, context, { id }) => publishFor(services, context, id, file, options));

async function publishFor(
  { configurations }: Services,
  context: RequestContext,
  agentId: string,
  file: string,
  { expect, note, ignoreTests, json }: Omit<PublishOptions, "agent">,
): Promise<void> {
  const live = await configurations.find(context, agentId);
  if (!live) throw new StartupError("the agent has no configuration");
  const input = Object.assign(new PublishConfigurationInput(), {
    agentId,
    expectedLiveVersion: expect ?? live.version,
    note,
    ignoreTests,
  });
  await validateInput(input);
  const { document, warnings } = await checkedDocument(file, json, (document) =>
    configurations.check(context, document, agentId),
  );
  // A pipeline publishes on every commit, and most commits change something else.
  const isLive = live.digest === digestOf(document) && live.version === input.expectedLiveVersion;
  const { version, digest } = isLive
    ? live
    : await configurations
        .publish(context, { ...input, document })
        .catch((error: unknown) => reportTests(file, error, json));
  if (json) printJson({ version, digest, published: !isLive, warnings });
  else print(isLive ? `Version ${version} already contains this document.` : `Published version ${version}.`);
}

/** Prints the failed tests that prevented a document from being published; rethrows any other error. */
function reportTests(file: string, error: unknown, json: boolean | undefined): never {
  const tests = error instanceof InvalidInput ? error.extensions.tests : undefined;
  if (!Array.isArray(tests)) throw error;
  if (json) printJson({ tests });
  else for (const { testId, path, message } of tests) print(`${file}:${path}: ${testId}: ${message}`);
  throw new StartupError(`tests of ${file} fail (use --ignore-tests <reason> to publish it anyway)`);
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
