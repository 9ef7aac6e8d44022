// One file, because the commands for keys share their options, documents and output.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { operatorFor } from "../auth/context";
import { organizationScopes } from "../auth/organization-scopes";
import { DAY_SECONDS } from "../common/time";
import { keysAndTokensIn } from "../credentials/token-format";
import { GatewayError } from "../errors";
import type { ApiKey, ApiKeyKind, ApiKeyState } from "../features/api-keys/api-key.entity";
import type { MintedApiKey } from "../features/api-keys/api-key.inputs";
import { KEY_RATE_LIMIT_MAX } from "../features/api-keys/api-key.limits";
import { mutation, type Run } from "./client";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { withClient, withRun, withServices } from "./connect";
import { agentIdOf, withKey } from "./lookups";
import {
  counted,
  enumNames,
  fieldsOf,
  type Json,
  printRecord,
  printResult,
  printRows,
  recordOf,
} from "./output";
import { addPageOptions, listPages, type Page, type PageOptions, pagesOf } from "./pages";
import { addOnDatabase } from "./target";
import { readText } from "./text-file";
import { choicesOf, commaSeparated, DURATION_FORM, duration, wholeNumber } from "./values";

const CENTURY_SECONDS = 36_525 * DAY_SECONDS;

const KEY =
  "id name agent { slug } hint state createdAt expiresAt revokedAt lastUsedAt lastUsedIp scopes description rateLimitPerMinute allowedNetworks";
const COLUMNS =
  "hint name agent state createdAt expiresAt revokedAt lastUsedAt lastUsedIp rateLimitPerMinute scopes allowedNetworks id";
const MINTED =
  "apiKey { id name agent { slug } hint createdAt expiresAt scopes description rateLimitPerMinute allowedNetworks } secret";

const CREATE = {
  agent: mutation("createApiKey", MINTED),
  organization: mutation("createOrganizationKey", MINTED),
};
const ROTATE = mutation("rotateApiKey", MINTED);
const UPDATE = mutation("updateApiKey", KEY);
const REVOKE = mutation("revokeApiKey", KEY);

const KINDS = choicesOf<ApiKeyKind>({ agent: true, organization: true });
const STATES = choicesOf<ApiKeyState>({ active: true, revoked: true, expired: true });

const FEATURES = join(__dirname, "../features");

/** The scopes of agent keys, read from the files that declare them: loading all features would take most of a second. */
const SCOPES = readdirSync(FEATURES)
  .flatMap((name) => readdirSync(join(FEATURES, name)).map((file) => join(FEATURES, name, file)))
  .filter((file) => /\.scopes\.[jt]s$/.test(file))
  .flatMap((file) => Object.values<object>(require(file)).flatMap(Object.keys))
  .sort();

const DESCRIPTION = ["--description <text>", "purpose of the key"] as const;
const RATE_LIMIT = [
  "--rate-limit <n>",
  "max requests per minute with the key; overrides the server's limit",
  wholeNumber(1, KEY_RATE_LIMIT_MAX),
] as const;
const NETWORKS = [
  "--networks <networks>",
  "comma-separated networks that may use the key, such as 192.0.2.0/24; any network if omitted",
  commaSeparated,
] as const;

/** Options of `keys create` and `keys update`; false for a `--no-…` option. */
interface Settings {
  description?: string | false;
  rateLimit?: number | false;
  networks?: string[] | false;
}

interface CreateOptions extends Json, Settings {
  kind: ApiKeyKind;
  agent?: string;
  org?: string;
  name: string;
  expiresIn?: number;
  scopes?: string[];
}

interface ListOptions extends Json, PageOptions {
  kind?: ApiKeyKind;
  agent?: string;
  org?: string;
  state?: ApiKeyState;
}

export const description = "API keys";

export function add(keys: Command): void {
  const addOne = (name: string, description: string, argument = "ID or hint of the key") =>
    keys.command(name).description(description).argument("<key>", argument);

  keys
    .command("create")
    .description("mint a key; its secret is shown only once")
    .addOption(
      new Option("--kind <kind>", "kind of key, which acts as an agent or manages the organization")
        .choices(KINDS)
        .default("agent"),
    )
    .option("--agent <slug>", "agent that the key resolves to; required for an agent's key")
    .option("--org <slug>", "organization that the key manages; required for organization keys without --url")
    .requiredOption("--name <name>", "where the key is used")
    .option(
      "--expires-in <duration>",
      `time until the key expires, ${DURATION_FORM}; the latest allowed time if omitted`,
      duration(1, [CENTURY_SECONDS, "36525d"]),
    )
    .option(
      "--scopes <scopes>",
      `comma-separated scopes. For an agent's key: ${SCOPES.join(", ")} (all if omitted). For an organization key (required): ${Object.keys(organizationScopes).join(", ")}`,
      commaSeparated,
    )
    .option(...DESCRIPTION)
    .option(...RATE_LIMIT)
    .option(...NETWORKS)
    .action(({ kind, agent, org, name, expiresIn, scopes, ...options }: CreateOptions) => {
      if (kind === "agent" ? agent === undefined : agent !== undefined || scopes === undefined)
        throw new GatewayError(
          "invalid_request",
          kind === "agent"
            ? "--agent <slug> is required for an agent's key."
            : "An organization key requires --scopes and cannot be used with --agent.",
        );
      return withRun({ org, agent }, async (run) => {
        const input = {
          agentId: await agentIdOf(run, agent),
          name,
          expiresAt: expiresIn && new Date(Date.now() + expiresIn * 1000),
          scopes: scopes && enumNames(scopes),
          ...settingsOf(options),
        };
        printMinted(await run<MintedApiKey>(CREATE[kind], { input }), options);
      });
    });

  addPageOptions(keys.command("list"))
    .description("list keys, newest first")
    .addOption(new Option("--kind <kind>", "only agents' keys, or only organization keys").choices(KINDS))
    .option("--agent <slug>", "only keys of this agent")
    .option("--org <slug>", "only keys of this organization and its agents")
    .addOption(new Option("--state <state>", "only keys in this state").choices(STATES))
    .option("--json", "print one JSON array")
    .action((options: ListOptions) =>
      withClient(async ({ about, services }) => {
        const { agent, org, kind, state } = options;
        const pages =
          services && agent === undefined && org === undefined
            ? (page: Page) => services.keys.listAll({ kind, state, ...page })
            : await pagesOfOrganization(await about({ agent, org }), options);
        await listPages(options, pages, (rows) =>
          printRows(
            options.json,
            rows.map((row) => fieldsOf(row, KEY)),
            COLUMNS,
            "No matching keys.",
          ),
        );
      }),
    );

  addYesOption(addOne("revoke", "revoke a key, effective on the next request")).action(
    (which: string, options: Json & Confirmation) =>
      withKey(which, async (run, { id, name, hint }) => {
        await confirm(`Revoke ${hint} (${name})? Its clients will lose access.`, options);
        const key = await run<ApiKey>(REVOKE, { input: { id } });
        printResult(options.json, recordOf(key), `${hint} (${key.name}) was revoked at ${key.revokedAt}.`);
      }),
  );

  addOne("rename", "rename an active key")
    .argument("<name>", "the new name")
    .action((which: string, name: string, { json }: Json) =>
      withKey(which, async (run, { id }) => {
        const key = await run<ApiKey>(UPDATE, { input: { id, name } });
        printResult(json, recordOf(key), `${key.hint} is now called ${key.name}.`);
      }),
    );

  // Commander needs `--description` before `--no-description`.
  addOne("update", "change an active key's settings, effective on the next request")
    .option("--name <name>", "the new name")
    .option(...DESCRIPTION)
    .option("--no-description", "remove the description")
    .option(...RATE_LIMIT)
    .option("--no-rate-limit", "use the server's limit")
    .option(...NETWORKS)
    .option("--no-networks", "accept the key from any network")
    .action((which: string, { name, json, ...settings }: Json & Settings & { name?: string }) =>
      withKey(which, async (run, { id }) => {
        const key = await run<ApiKey>(UPDATE, { input: { id, name, ...settingsOf(settings) } });
        printRecord(json, recordOf(key));
      }),
    );

  const rotates = "replace a key with a new one; its secret is shown only once";
  addYesOption(addOne("rotate", rotates, "ID or hint of the old key"))
    .option(
      "--grace <duration>",
      `how long the old key remains valid, ${DURATION_FORM}; at most 1d`,
      duration(0, [DAY_SECONDS, "1d"]),
      0,
    )
    .action((which: string, options: Json & Confirmation & { grace: number }) =>
      withKey(which, async (run, { id, name, hint }) => {
        const graceSeconds = options.grace;
        if (graceSeconds === 0)
          await confirm(`Replace ${hint} (${name})? Without --grace, its clients will lose access.`, options);
        printMinted(await run<MintedApiKey>(ROTATE, { input: { id, graceSeconds } }), options);
      }),
    );
  addLeaked(keys);
}

/** @throws GatewayError `not_found` if the agent does not exist */
async function pagesOfOrganization(run: Run, { agent, kind, state }: ListOptions) {
  const values = { agentId: await agentIdOf(run, agent), kind, state };
  return pagesOf<ApiKey>(run, "apiKeys", "agentId: ID, kind: ApiKeyKind, state: ApiKeyState", KEY, values);
}

function addLeaked(keys: Command): void {
  addOnDatabase(keys, "leaked")
    .description("revoke leaked keys found in text, such as a scanner's report")
    .argument("<file>", "the file; - for standard input")
    .option("--json", "print one JSON array")
    .action((file: string, { json }: Json) =>
      withServices(async ({ leakedKeys }) => {
        const found = keysAndTokensIn(await readText(file));
        const reports = found.map((token) => ({ token, url: null }));
        const revoked = await leakedKeys.revoke(operatorFor, reports);
        await leakedKeys.mailed();
        const rows = revoked.map(({ id, hint, name, agent }) => ({ hint, name, agent, id }));
        printRows(
          json,
          rows,
          "hint name agent id",
          `Found ${counted(found.length, "key")} in the file, none active.`,
        );
      }),
    );
}

const settingsOf = ({ description, rateLimit, networks }: Settings) => ({
  ...(description !== undefined && { description: description || null }),
  ...(rateLimit !== undefined && { rateLimitPerMinute: rateLimit || null }),
  ...(networks !== undefined && { allowedNetworks: networks || null }),
});

const printMinted = ({ apiKey, secret }: MintedApiKey, { json }: Json): void =>
  printRecord(json, { ...recordOf(apiKey), secret }, "The secret will not be shown again.");
