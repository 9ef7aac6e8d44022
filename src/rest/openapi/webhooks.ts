import { EVENT_TYPES } from "../../features/events/event-types";
import { TEST_EVENT, TEST_EVENT_SCHEMA } from "../../features/webhooks/test-event";
import type { JsonSchema } from "../json-value";

const TEXT = { type: "string" };

/** The headers of Standard Webhooks, present on every request. */
const HEADERS = [
  ["webhook-id", "ID of the event, the same for every attempt."],
  ["webhook-timestamp", "When the attempt was made (Unix time in seconds)."],
  ["webhook-signature", "One or more signatures, separated by spaces, each consisting of `v1,` and Base64."],
].map(([name, description]) => ({ name, in: "header", required: true, description, schema: TEXT }));

/** Returns the requests sent to webhook endpoints, one per event type. */
export const createWebhooks = (): Record<string, JsonSchema> => ({
  ...Object.fromEntries(
    [...EVENT_TYPES].map(([type, { description, data }]) => [
      type,
      requestOf(type, description, eventOf(type, data)),
    ]),
  ),
  [TEST_EVENT]: requestOf(TEST_EVENT, "The endpoint is being tested.", TEST_EVENT_SCHEMA),
});

const requestOf = (type: string, summary: string, schema: JsonSchema): JsonSchema => ({
  post: {
    operationId: `on${type.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary,
    description: "Sent by the gateway, signed according to Standard Webhooks.",
    tags: ["Events"],
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "The event was received. The response body is ignored." },
      410: { description: "The endpoint is gone, so the gateway disables it." },
    },
  },
});

/** Returns the schema of an event type, in the same form as in the list of events. */
const eventOf = (type: string, data: JsonSchema): JsonSchema => ({
  allOf: [
    { $ref: "#/components/schemas/Event" },
    { type: "object", properties: { type: { type: "string", enum: [type] }, data } },
  ],
});
