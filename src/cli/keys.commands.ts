import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { operatorFor, type RequestContext } from "../auth/context";
import { type KeyScope, SCOPES, type Scope } from "../auth/permissions";
import { apiKeysIn } from "../credentials/token-format";
import type { Services } from "../features";
import { type ApiKey, ApiKeyState } from "../features/api-keys/api-key.entity";
import {
  CreateApiKeyInput,
  type MintedApiKey,
  RotateApiKeyInput,
  UpdateApiKeyInput,
} from "../features/api-keys/api-key.inputs";
import { KEY_RATE_LIMIT_MAX } from "../features/api-keys/api-key.limits";
import type { KeySettings } from "../features/api-keys/key-changes";
import { validateInput } from "../schema/validate-input";
import { commaSeparated } from "./comma-separated";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { DURATION_FORM, duration } from "./duration";
import { print, printJson, printRecord, printTable } from "./output";
import { addPageOptions, listPages, type PageOptions } from "./pages";
import { withServices } from "./services";
import { wholeNumber } from "./whole-number";

const DAY_SECONDS = 24 * 60 * 60;
const CENTURY_SECONDS = 36_525 * DAY_SECONDS;

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

interface Json {
  json?: boolean;
}

export const description = "API keys";

/** Adds the commands of `gateway keys`. */
export function add(keys: Command): void {
  keys
    .command("create")
    .description("mint a key; its secret is shown only once")
    .requiredOption("--agent <slug>", "agent that the key resolves to")
    .requiredOption("--name <name>", "where the key is used")
    .option(
      "--expires-in <duration>",
      `time until the key expires, ${DURATION_FORM}; never if omitted`,
      duration(1, [CENTURY_SECONDS, "36525d"]),
    )
    .option(
      "--scopes <scopes>",
      `comma-separated scopes of the key; all if omitted (${SCOPES.join(", ")})`,
      commaSeparated,
    )
    .option(...DESCRIPTION)
    .option(...RATE_LIMIT)
    .option(...NETWORKS)
    .option("--json", "print one JSON object")
    .action(
      (options: Json & Settings & { agent: string; name: string; expiresIn?: number; scopes?: Scope[] }) =>
        withServices(async (services) => {
          const agent = await services.agents.bySlug(options.agent);
          const input = Object.assign(new CreateApiKeyInput(), {
            agentId: agent.id,
            name: options.name,
            expiresAt: options.expiresIn === undefined ? null : secondsFromNow(options.expiresIn),
            scopes: options.scopes,
            ...settingsOf(options),
          });
          await validateInput(input);
          const minted = await services.keys.create(operatorFor(agent.organization), input);
          printMinted(minted, agent.slug, options);
        }),
    );

  addPageOptions(keys.command("list"))
    .description("list keys, newest first")
    .option("--agent <slug>", "only keys of this agent")
    .option("--org <slug>", "only keys of this organization")
    .addOption(new Option("--state <state>", "only keys in this state").choices(Object.values(ApiKeyState)))
    .option("--json", "print one JSON array")
    .action((options: Json & PageOptions & { agent?: string; org?: string; state?: ApiKeyState }) =>
      withServices(async (services) => {
        if (options.agent !== undefined) await services.agents.bySlug(options.agent);
        if (options.org !== undefined) await services.organizations.bySlug(options.org);
        await listPages(
          options,
          (page) => services.keys.listAll({ ...options, ...page }),
          (rows) => {
            const records = rows.map(describe);
            if (options.json) printJson(records);
            else
              printTable(
                records.map(({ id, hint, scopes, description, allowedNetworks, ...rest }) => ({
                  hint,
                  ...rest,
                  scopes: formatScopes(scopes),
                  allowedNetworks: formatNetworks(allowedNetworks),
                  id,
                })),
                "No matching keys.",
              );
          },
        );
      }),
    );

  addYesOption(keys.command("revoke"))
    .description("revoke a key, effective on the next request")
    .argument("<key>", "ID or hint of the key")
    .option("--json", "print one JSON object")
    .action((which: string, options: Json & Confirmation) =>
      withKey(which, async (services, context, { id, agent, name, hint }) => {
        await confirm(`Revoke ${hint} (${name})? Its clients will lose access.`, options);
        const key = await services.keys.revoke(context, id);
        if (options.json) printJson(describe({ ...key, state: key.state, agent }));
        else print(`${key.hint} (${key.name}) was revoked at ${key.revokedAt}.`);
      }),
    );

  keys
    .command("rename")
    .description("rename an active key")
    .argument("<key>", "ID or hint of the key")
    .argument("<name>", "the new name")
    .option("--json", "print one JSON object")
    .action((which: string, name: string, options: Json) =>
      withKey(which, async (services, context, { id, agent }) => {
        const input = Object.assign(new UpdateApiKeyInput(), { id, name });
        await validateInput(input);
        const key = await services.keys.update(context, input);
        if (options.json) printJson(describe({ ...key, state: key.state, agent }));
        else print(`${key.hint} is now called ${key.name}.`);
      }),
    );

  // Commander needs `--description` before `--no-description`.
  keys
    .command("update")
    .description("change the settings of an active key, effective on the next request")
    .argument("<key>", "ID or hint of the key")
    .option("--name <name>", "the new name")
    .option(...DESCRIPTION)
    .option("--no-description", "remove the description")
    .option(...RATE_LIMIT)
    .option("--no-rate-limit", "use the server's limit")
    .option(...NETWORKS)
    .option("--no-networks", "accept the key from any network")
    .option("--json", "print one JSON object")
    .action((which: string, options: Json & Settings & { name?: string }) =>
      withKey(which, async (services, context, { id, agent }) => {
        const input = Object.assign(new UpdateApiKeyInput(), {
          id,
          name: options.name,
          ...settingsOf(options),
        });
        await validateInput(input);
        const key = await services.keys.update(context, input);
        const record = describe({ ...key, state: key.state, agent });
        if (options.json) printJson(record);
        else
          printRecord({
            ...record,
            scopes: formatScopes(key.scopes),
            allowedNetworks: formatNetworks(key.allowedNetworks),
          });
      }),
    );

  addYesOption(keys.command("rotate"))
    .description("replace a key with a new one; its secret is shown only once")
    .argument("<key>", "ID or hint of the old key")
    .option(
      "--grace <duration>",
      `how long the old key remains valid, ${DURATION_FORM}; at most 1d`,
      duration(0, [DAY_SECONDS, "1d"]),
      0,
    )
    .option("--json", "print one JSON object")
    .action((which: string, options: Json & Confirmation & { grace: number }) =>
      withKey(which, async (services, context, { id, agent, name, hint }) => {
        if (options.grace === 0)
          await confirm(`Replace ${hint} (${name})? Without --grace, its clients will lose access.`, options);
        const args = Object.assign(new RotateApiKeyInput(), { id, graceSeconds: options.grace });
        await validateInput(args);
        printMinted(await services.keys.rotate(context, args), agent?.slug ?? "", options);
      }),
    );
  addLeaked(keys);
}

function addLeaked(keys: Command): void {
  keys
    .command("leaked")
    .description("revoke leaked keys found in a text, such as a scanner's report")
    .argument("<file>", "the text; - for standard input")
    .option("--json", "print one JSON array")
    .action((file: string, { json }: Json) =>
      withServices(async ({ leakedKeys }) => {
        const found = apiKeysIn(await readText(file));
        const reports = found.map((token) => ({ token, url: null }));
        const revoked = await leakedKeys.revoke(operatorFor, reports);
        await leakedKeys.mailed();
        const rows = revoked.map(({ id, hint, name, agent }) => ({ hint, name, agent, id }));
        if (json) printJson(rows);
        else printTable(rows, `None of the ${found.length} keys in the text is active.`);
      }),
    );
}

const readText = (file: string): Promise<string> =>
  file === "-" ? text(process.stdin) : readFile(file, "utf8");

function withKey<T>(
  which: string,
  work: (services: Services, context: RequestContext, key: ApiKey) => Promise<T>,
): Promise<T> {
  return withServices(async (services) => {
    const { key, organization } = await services.keys.byIdOrHint(which);
    return work(services, operatorFor(organization), key);
  });
}

const settingsOf = ({ description, rateLimit, networks }: Settings) => ({
  ...(description !== undefined && { description: description || null }),
  ...(rateLimit !== undefined && { rateLimitPerMinute: rateLimit || null }),
  ...(networks !== undefined && { allowedNetworks: networks || null }),
});

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000);

type Described = Pick<
  ApiKey,
  "id" | "name" | "agent" | "hint" | "state" | "createdAt" | "expiresAt" | "revokedAt"
> &
  Pick<ApiKey, "lastUsedAt" | "lastUsedIp" | "scopes"> &
  KeySettings;

const describe = (key: Described) => ({
  id: key.id,
  name: key.name,
  agent: key.agent?.slug,
  hint: key.hint,
  state: key.state,
  createdAt: key.createdAt,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt,
  lastUsedAt: key.lastUsedAt,
  lastUsedIp: key.lastUsedIp,
  scopes: key.scopes,
  description: key.description,
  rateLimitPerMinute: key.rateLimitPerMinute,
  allowedNetworks: key.allowedNetworks,
});

const formatScopes = (scopes: readonly KeyScope[] | null): string => scopes?.join(", ") ?? "(all)";

const formatNetworks = (networks: readonly string[] | null): string => networks?.join(", ") ?? "(any)";

function printMinted({ apiKey, secret }: MintedApiKey, agent: string, { json }: Json): void {
  const { id, name, hint, createdAt, expiresAt, scopes } = apiKey;
  const { description, rateLimitPerMinute, allowedNetworks } = apiKey;
  const settings = { description, rateLimitPerMinute, allowedNetworks };
  const record = { id, name, agent, hint, createdAt, expiresAt, scopes, ...settings, secret };
  if (json) {
    printJson(record);
    return;
  }
  printRecord({
    ...record,
    scopes: formatScopes(scopes),
    allowedNetworks: formatNetworks(allowedNetworks),
  });
  print("\nThe secret will not be shown again.");
}
