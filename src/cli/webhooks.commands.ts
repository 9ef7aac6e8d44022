import { type Command, Option } from "commander";
import { operatorFor, type RequestContext } from "../auth/context";
import { AttemptOutcome } from "../delivery/driver";
import { GatewayError } from "../errors";
import type { Services } from "../features";
import type { EventType } from "../features/events/event-types";
import {
  CreateWebhookEndpointInput,
  UpdateWebhookEndpointInput,
  WebhookDeliveriesArgs,
  type WebhookEndpointWithSecret,
} from "../features/webhooks/webhook.inputs";
import { type WebhookDelivery, WebhookDeliveryState } from "../features/webhooks/webhook-delivery.entity";
import type { WebhookEndpoint } from "../features/webhooks/webhook-endpoint.entity";
import { validateInput } from "../schema/validate-input";
import { commaSeparated } from "./comma-separated";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { print, printJson, printTable } from "./output";
import { addPageOptions, listPages, type PageOptions } from "./pages";
import { withServices } from "./services";
import { parseTime } from "./time";

interface Options {
  org: string;
  json?: boolean;
}

/** Options of `webhooks create` and `webhooks update`; false for a `--no-…` option. */
interface SettingOptions {
  url?: string;
  types?: string[] | false;
  description?: string | false;
}

export const description = "Webhook endpoints that receive events";

/** Adds the commands of `gateway webhooks`. */
export function add(webhooks: Command): void {
  const add = (name: string, description: string) =>
    webhooks
      .command(name)
      .description(description)
      .requiredOption("--org <slug>", "organization that the endpoints belong to");
  const addOne = (name: string, description: string) =>
    add(name, description).argument("<id>", "its ID").option("--json", "print one JSON object");

  add("list", "list the webhook endpoints of an organization")
    .option("--json", "print one JSON array")
    .action((options: Options) =>
      withOrganization(options, async (services, context) => {
        const found = await services.webhooks.list(context, null);
        if (options.json) printJson(found.map(describe));
        else printTable(found.map(toRow), "The organization has no webhook endpoints.");
      }),
    );

  add("create", "create a webhook endpoint; its signing secret is shown only once")
    .requiredOption("--url <url>", "URL that receives events by POST")
    .option("--agent <slug>", "only events of this agent; events of all agents if omitted")
    .option("--types <types>", "only events of these types, separated by commas", commaSeparated)
    .option("--description <text>", "purpose of the endpoint")
    .option("--json", "print one JSON object")
    .action((options: Options & SettingOptions & { agent?: string }) =>
      withOrganization(options, async (services, context) => {
        const agent = options.agent === undefined ? undefined : await services.agents.bySlug(options.agent);
        const input = Object.assign(new CreateWebhookEndpointInput(), {
          agentId: agent?.id,
          ...settingsOf(options),
        });
        await validateInput(input);
        printWithSecret(await services.webhooks.create(context, input), "was created", options);
      }),
    );

  // Commander needs `--types` before `--no-types`.
  addOne("update", "change the settings of a webhook endpoint")
    .option("--url <url>", "URL that receives events by POST")
    .option("--types <types>", "only events of these types, separated by commas", commaSeparated)
    .option("--no-types", "events of all types")
    .option("--description <text>", "purpose of the endpoint")
    .option("--no-description", "remove the description")
    .action((id: string, options: Options & SettingOptions) =>
      withOrganization(options, async (services, context) => {
        const input = Object.assign(new UpdateWebhookEndpointInput(), { id, ...settingsOf(options) });
        await validateInput(input);
        printEndpoint(await services.webhooks.update(context, input), "was changed", options);
      }),
    );

  addYesOption(
    addOne("rotate-secret", "create a new signing secret for a webhook endpoint; it is shown only once"),
  ).action((id: string, options: Options & Confirmation) =>
    withOrganization(options, async (services, context) => {
      const before = await services.webhooks.find(context, id);
      if (before != null && before.previousSecretUntil !== null) {
        await confirm(
          "The endpoint got a new secret less than a day ago. Stop signing with the previous secret immediately?",
          options,
        );
      }
      printWithSecret(
        await services.webhooks.rotateSecret(context, { id }),
        "has a new signing secret",
        options,
      );
    }),
  );

  addYesOption(addOne("delete", "delete a webhook endpoint and its delivery log")).action(
    (id: string, options: Options & Confirmation) =>
      withOrganization(options, async (services, context) => {
        await confirm(`Delete the webhook endpoint ${id}?`, options);
        printEndpoint(await services.webhooks.delete(context, id), "was deleted", options);
      }),
  );

  for (const [name, description, done] of [
    ["enable", "enable a disabled webhook endpoint", "is active"],
    ["disable", "disable a webhook endpoint; nothing is sent to it until it is enabled", "is disabled"],
  ] as const) {
    addOne(name, description).action((id: string, options: Options) =>
      withOrganization(options, async (services, context) => {
        printEndpoint(await services.webhooks[name](context, id), done, options);
      }),
    );
  }

  addOne("redeliver", "redeliver events that an endpoint missed or failed to accept")
    .option("--since <time>", "events at or after this time, or since a duration such as 7d ago", parseTime)
    .option("--after <position>", "events after this position")
    .action((id: string, options: Options & { since?: Date; after?: string }) =>
      withOrganization(options, async (services, context) => {
        const { since, after } = options;
        if ((since === undefined) === (after === undefined))
          throw new GatewayError("invalid_request", "--since or --after is required, but not both.");
        printEndpoint(
          await services.redeliveries.redeliver(context, { id, from: { since, after } }),
          "will receive the events it missed",
          options,
        );
      }),
    );

  addOne("test", "send a test event now and show the result; exit code 1 if the test failed").action(
    (id: string, options: Options) =>
      withOrganization(options, async (services, context) => {
        const { outcome, status, code, detail, durationMs } = await services.webhookTests.run(context, id);
        if (options.json) printJson({ outcome, status, code, detail, durationMs });
        else print(code === null ? detail : `${detail} (${outcome}, ${code})`);
        if (outcome !== AttemptOutcome.accepted) process.exitCode = 1;
      }),
  );

  addPageOptions(add("deliveries", "list the deliveries to a webhook endpoint, newest first"))
    .argument("<id>", "ID of the endpoint")
    .addOption(
      new Option("--state <state>", "only deliveries in this state").choices(
        Object.values(WebhookDeliveryState),
      ),
    )
    .option("--type <type>", "only deliveries of events of this type")
    .option("--event <id>", "only the delivery of this event")
    .option("--json", "print one JSON array")
    .action((endpointId: string, options: Options & PageOptions & DeliveryFilter) =>
      withOrganization(options, async (services, context) => {
        const { state, type, event: eventId } = options;
        await validateInput(Object.assign(new WebhookDeliveriesArgs(), { endpointId, state, type, eventId }));
        await listPages(
          options,
          (page) => services.webhookLog.list(context, { endpointId, state, type, eventId, ...page }),
          (rows) => {
            if (options.json) printJson(rows);
            else printTable(rows.map(toDeliveryRow), "No matching deliveries.");
          },
        );
      }),
    );
}

interface DeliveryFilter {
  state?: WebhookDeliveryState;
  type?: EventType;
  event?: string;
}

const withOrganization = (
  { org }: Options,
  work: (services: Services, context: RequestContext) => Promise<void>,
): Promise<void> =>
  withServices(async (services) => work(services, operatorFor(await services.organizations.bySlug(org))));

/** Converts the options to settings; a `--no-…` option clears its setting. */
function settingsOf({ url, types, description }: SettingOptions) {
  return {
    ...(url !== undefined && { url }),
    ...(types !== undefined && { types: types === false ? null : (types as EventType[]) }),
    ...(description !== undefined && { description: description === false ? null : description }),
  };
}

const describe = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  agentId: endpoint.agentId,
  url: endpoint.url,
  description: endpoint.description,
  types: endpoint.types,
  state: endpoint.state,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince,
  secretGeneration: endpoint.secretGeneration,
  previousSecretUntil: endpoint.previousSecretUntil,
  createdAt: endpoint.createdAt,
  updatedAt: endpoint.updatedAt,
});

const toRow = (endpoint: WebhookEndpoint) => ({
  url: endpoint.url,
  state: endpoint.state,
  reason: endpoint.disabledReason,
  failingSince: endpoint.failingSince,
  types: endpoint.types?.join(", ") ?? "(all)",
  agentId: endpoint.agentId ?? "(all)",
  id: endpoint.id,
});

const toDeliveryRow = (delivery: WebhookDelivery) => ({
  position: delivery.position,
  type: delivery.type,
  state: delivery.state,
  attempts: delivery.attempts,
  status: delivery.lastStatus,
  notBefore: delivery.notBefore,
  error: delivery.lastError,
  subject: delivery.subject,
  eventId: delivery.eventId,
});

function printEndpoint(endpoint: WebhookEndpoint, done: string, { json }: Options): void {
  if (json) printJson(describe(endpoint));
  else print(`The webhook endpoint ${endpoint.id} ${done}.`);
}

function printWithSecret(made: WebhookEndpointWithSecret, done: string, options: Options): void {
  const { endpoint, signingSecret } = made;
  if (options.json) {
    printJson({ ...describe(endpoint), signingSecret });
    return;
  }
  printEndpoint(endpoint, done, options);
  if (signingSecret !== null) {
    print(`Signing secret: ${signingSecret}\nThe signing secret will not be shown again.`);
  }
}
