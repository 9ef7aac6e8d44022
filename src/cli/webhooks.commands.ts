import { type Command, Option } from "commander";
import { GatewayError } from "../errors";
import type { WebhookEndpointWithSecret, WebhookTest } from "../features/webhooks/webhook.inputs";
import type { WebhookDelivery, WebhookDeliveryState } from "../features/webhooks/webhook-delivery.entity";
import type { WebhookEndpoint } from "../features/webhooks/webhook-endpoint.entity";
import { mutation, query } from "./client";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { withRun } from "./connect";
import { addOrganizationOption, agentIdOf } from "./lookups";
import { enumNames, printResult, printRows, printTest, printWithSecret, recordOf } from "./output";
import { addPageOptions, listPages, type PageOptions, pagesOf } from "./pages";
import { choicesOf, commaSeparated, parseTime } from "./values";

const ENDPOINT =
  "id agentId url description types state disabledReason failingSince secretGeneration previousSecretUntil createdAt updatedAt";
const WITH_SECRET = `endpoint { ${ENDPOINT} } signingSecret`;
const DELIVERY =
  "id endpointId eventId agentId position type subject state attempts notBefore createdAt deliveredAt lastStatus lastError lastDurationMs";

const LIST = query("webhookEndpoints", "", ENDPOINT);
const FIND = query("webhookEndpoint", "id: ID!", "previousSecretUntil");
const CREATE = mutation("createWebhookEndpoint", WITH_SECRET);
const ROTATE_SECRET = mutation("rotateWebhookSecret", WITH_SECRET);
const UPDATE = mutation("updateWebhookEndpoint", ENDPOINT);
const REDELIVER = mutation("redeliver", ENDPOINT);
const TEST = mutation("sendTestEvent", "outcome status code detail durationMs");
const FILTERS = "endpointId: ID!, state: WebhookDeliveryState, type: EventType, eventId: ID";

const STATES = choicesOf<WebhookDeliveryState>({
  pending: true,
  delivered: true,
  failed: true,
  canceled: true,
});

interface Options {
  org?: string;
  json?: boolean;
}

/** Options of `webhooks create` and `webhooks update`; false for a `--no-…` option. */
interface SettingOptions {
  url?: string;
  types?: string[] | false;
  description?: string | false;
}

export const description = "Webhook endpoints that receive events";

export function add(webhooks: Command): void {
  const add = (name: string, description: string) =>
    addOrganizationOption(webhooks.command(name)).description(description);
  const addOne = (name: string, description: string) =>
    add(name, description).argument("<id>", "ID of the endpoint").option("--json", "print one JSON object");

  add("list", "list an organization's webhook endpoints")
    .option("--json", "print one JSON array")
    .action(({ org, json }: Options) =>
      withRun({ org }, async (run) => {
        printRows(
          json,
          await run<WebhookEndpoint[]>(LIST),
          "url state reason=disabledReason failingSince types agentId id",
          "The organization has no webhook endpoints.",
        );
      }),
    );

  add("create", "create a webhook endpoint; its signing secret is shown only once")
    .requiredOption("--url <url>", "URL that receives events by POST")
    .option("--agent <slug>", "only events of this agent; events of all agents if omitted")
    .option("--types <types>", "only events of these types, separated by commas", commaSeparated)
    .option("--description <text>", "purpose of the endpoint")
    .action(({ org, agent, json, ...settings }: Options & SettingOptions & { agent?: string }) =>
      withRun({ org }, async (run) => {
        const input = { agentId: await agentIdOf(run, agent), ...settingsOf(settings) };
        printChangedSecret(json, await run<WebhookEndpointWithSecret>(CREATE, { input }), "was created");
      }),
    );

  // Commander needs `--types` before `--no-types`.
  addOne("update", "change a webhook endpoint's settings")
    .option("--url <url>", "URL that receives events by POST")
    .option("--types <types>", "only events of these types, separated by commas", commaSeparated)
    .option("--no-types", "events of all types")
    .option("--description <text>", "purpose of the endpoint")
    .option("--no-description", "remove the description")
    .action((id: string, { org, json, ...settings }: Options & SettingOptions) =>
      withRun({ org }, async (run) => {
        const input = { id, ...settingsOf(settings) };
        printChanged(json, await run<WebhookEndpoint>(UPDATE, { input }), "was changed");
      }),
    );

  addYesOption(
    addOne("rotate-secret", "create a new signing secret for a webhook endpoint; it is shown only once"),
  ).action((id: string, { org, json, ...confirmation }: Options & Confirmation) =>
    withRun({ org }, async (run) => {
      const before = await run<WebhookEndpoint | null>(FIND, { id });
      if (before !== null && before.previousSecretUntil !== null) {
        await confirm(
          "The endpoint's signing secret was rotated less than a day ago. Stop signing with the previous secret immediately?",
          confirmation,
        );
      }
      const changed = await run<WebhookEndpointWithSecret>(ROTATE_SECRET, { input: { id } });
      printChangedSecret(json, changed, "has a new signing secret");
    }),
  );

  for (const [name, description, done] of [
    ["delete", "delete a webhook endpoint and its delivery log", "was deleted"],
    ["enable", "enable a disabled webhook endpoint", "is active"],
    ["disable", "disable a webhook endpoint; nothing is sent to it until it is enabled", "is disabled"],
  ] as const) {
    const command = addOne(name, description);
    if (name === "delete") addYesOption(command);
    command.action((id: string, { org, json, ...confirmation }: Options & Confirmation) =>
      withRun({ org }, async (run) => {
        if (name === "delete") await confirm(`Delete the webhook endpoint ${id}?`, confirmation);
        const change = mutation(`${name}WebhookEndpoint`, ENDPOINT);
        printChanged(json, await run<WebhookEndpoint>(change, { input: { id } }), done);
      }),
    );
  }

  addOne("redeliver", "redeliver events that an endpoint missed or failed to accept")
    .option("--since <time>", "events at or after this time; 7d means a week ago", parseTime)
    .option("--after <position>", "events after this position")
    .action((id: string, { org, json, since, after }: Options & { since?: Date; after?: string }) =>
      withRun({ org }, async (run) => {
        if ((since === undefined) === (after === undefined))
          throw new GatewayError("invalid_request", "Exactly one of --since and --after is required.");
        const input = { id, from: { since, after } };
        const endpoint = await run<WebhookEndpoint>(REDELIVER, { input });
        printChanged(json, endpoint, "will receive the events it missed");
      }),
    );

  addOne("test", "send a test event now and show the result; exit code 1 if the test failed").action(
    (id: string, { org, json }: Options) =>
      withRun({ org }, async (run) => printTest(json, await run<WebhookTest>(TEST, { input: { id } }))),
  );

  addPageOptions(add("deliveries", "list the deliveries to a webhook endpoint, newest first"))
    .argument("<id>", "ID of the endpoint")
    .addOption(new Option("--state <state>", "only deliveries in this state").choices(STATES))
    .option("--type <type>", "only deliveries of events of this type")
    .option("--event <id>", "only the delivery of this event")
    .option("--json", "print one JSON array")
    .action((endpointId: string, { org, json, ...options }: Options & PageOptions & DeliveryFilter) =>
      withRun({ org }, (run) => {
        const [type] = enumNames(options.type === undefined ? [] : [options.type]);
        const values = { endpointId, state: options.state, type, eventId: options.event };
        return listPages(
          options,
          pagesOf<WebhookDelivery>(run, "webhookDeliveries", FILTERS, DELIVERY, values),
          (rows) =>
            printRows(
              json,
              rows,
              "position type state attempts status=lastStatus notBefore error=lastError subject eventId",
              "No matching deliveries.",
            ),
        );
      }),
    );
}

interface DeliveryFilter {
  state?: WebhookDeliveryState;
  type?: string;
  event?: string;
}

/** Converts the options to settings; a `--no-…` option clears its setting. */
const settingsOf = ({ url, types, description }: SettingOptions) => ({
  url,
  types: types === false ? null : types && enumNames(types),
  description: description === false ? null : description,
});

const printChanged = (json: boolean | undefined, endpoint: WebhookEndpoint, done: string): void =>
  printResult(json, recordOf(endpoint), `The webhook endpoint ${endpoint.id} ${done}.`);

const printChangedSecret = (
  json: boolean | undefined,
  { endpoint, signingSecret }: WebhookEndpointWithSecret,
  done: string,
): void =>
  printWithSecret(json, recordOf(endpoint), signingSecret, `The webhook endpoint ${endpoint.id} ${done}.`);
