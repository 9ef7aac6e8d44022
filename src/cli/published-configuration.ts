import { InvalidInput, StartupError } from "../errors";
import type { Configuration } from "../features/configuration/configuration.outputs";
import type { ConfigurationVersion } from "../features/configuration/configuration-version.entity";
import { digestOf } from "../features/configuration/document/canonical-json";
import { checkedDocument, type DocumentCheck } from "./checked-document";
import { mutation, query } from "./client";
import { withAgent } from "./lookups";
import { type Json, print, printIndentedJson, printJson } from "./output";
import { nameOf } from "./text-file";

const VERSION = query(
  "configuration",
  "agentId: ID, version: Int",
  "version document digest note restoredFrom publishedAt publishedBy",
);
const DRAFT = query("configurationDraft", "agentId: ID!", "document revision basedOn updatedAt updatedBy");
const PROBLEM = "{ path message position { line column } }";
const CHECK = query(
  "checkConfiguration",
  "document: JSONObject!, agentId: ID",
  `problems ${PROBLEM} warnings ${PROBLEM}`,
);
const PUBLISH = mutation("publishConfiguration", "version digest");

interface GetOptions extends Json {
  agent: string;
  version?: number;
  draft?: boolean;
}

interface PublishOptions extends Json {
  agent: string;
  expect?: number;
  note?: string;
  ignoreTests?: string;
}

/** Prints a version or the draft of an agent's configuration. */
export const get = ({ agent, version, draft, json }: GetOptions): Promise<void> =>
  withAgent(agent, async (run, { id: agentId }) => {
    const found = await run<Configuration | null>(
      draft ? DRAFT : VERSION,
      draft ? { agentId } : { agentId, version },
    );
    if (found === null)
      throw new StartupError(draft ? `${agent} has no draft` : `${agent} has no version ${version}`);
    if (json) printJson(found);
    else printIndentedJson(found.document);
  });

/** Publishes a document, unless it is already live. */
export const publish = (
  file: string,
  { agent, expect, note, ignoreTests, json }: PublishOptions,
): Promise<void> =>
  withAgent(agent, async (run, { id: agentId }) => {
    const live = await run<ConfigurationVersion | null>(VERSION, { agentId });
    if (live === null) throw new StartupError("the agent has no configuration");
    const { document, result } = await checkedDocument(file, json, (document) =>
      run<DocumentCheck>(CHECK, { document, agentId }),
    );
    const expectedLiveVersion = expect ?? live.version;
    // A pipeline may publish on every commit, although few commits change the document.
    const isLive = live.digest === digestOf(document) && live.version === expectedLiveVersion;
    const input = { agentId, document, expectedLiveVersion, note, ignoreTests };
    const { version, digest } = isLive
      ? live
      : await run<ConfigurationVersion>(PUBLISH, { input }).catch((error: unknown) =>
          reportTests(file, error, json),
        );
    if (json) printJson({ version, digest, published: !isLive, warnings: result.warnings });
    else
      print(isLive ? `Version ${version} already contains this document.` : `Published version ${version}.`);
  });

/** Prints the failed tests that prevented a document from being published; rethrows any other error. */
function reportTests(file: string, error: unknown, json: boolean | undefined): never {
  const tests = error instanceof InvalidInput ? error.extensions.tests : undefined;
  if (!Array.isArray(tests)) throw error;
  if (json) printJson({ tests });
  else for (const { testId, path, message } of tests) print(`${nameOf(file)}:${path}: ${testId}: ${message}`);
  throw new StartupError(`tests in ${nameOf(file)} fail (use --ignore-tests <reason> to publish it anyway)`);
}
