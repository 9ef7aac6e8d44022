import { z } from "zod";
import type { ErrorCode } from "../../errors";
import { INBOUND_MESSAGE, INBOUND_RECEIPT } from "../../features/inbound/inbound.bodies";
import { OMITTED_MAX_LENGTH } from "../../features/messages/message.entity";
import type { JsonSchema } from "../json-value";
import type { ErrorResponses } from "./errors";
import { headers } from "./headers";

export const INBOUND_TAG = {
  name: "Inbound",
  description:
    "What the systems at the other end of lines send. They sign it as Standard Webhooks, with the secret of the line, and need no API key.",
};

export const INBOUND_ERRORS: readonly ErrorCode[] = [
  "invalid_request",
  "invalid_json",
  "invalid_content_type",
  "invalid_signature",
  "not_found",
  "request_timeout",
  "conflict",
  "payload_too_large",
  "unsupported_content_encoding",
  "misdirected_request",
  "too_many_attempts",
  "header_fields_too_large",
  "internal_error",
  "unavailable",
];

const text = (maxLength: number, description: string, minLength = 1): JsonSchema => ({
  type: "string",
  minLength,
  maxLength,
  description,
});
const id = (description: string): JsonSchema => ({ type: "string", format: "uuid", description });

/** The JSON Schema of a body. */
const schemaOf = (body: z.ZodType): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: "input" });
  return schema;
};

const PARAMETERS = [
  {
    name: "lineId",
    in: "path",
    required: true,
    description: "ID of the line.",
    schema: { type: "string", format: "uuid" },
    example: "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a1",
  },
  ...[
    ["webhook-id", "Any ID of the request."],
    ["webhook-timestamp", "When the request was signed (Unix time in seconds), in the last five days."],
    ["webhook-signature", "One or more signatures, `v1,` and Base64 each, separated by spaces."],
  ].map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string", minLength: 1 },
  })),
];

const MESSAGE_ID = "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e6";

const RECEIVED = {
  type: "object",
  required: ["id", "conversationId", "contactId", "status"],
  properties: {
    id: id("ID of the message."),
    conversationId: id("ID of its conversation."),
    contactId: id("ID of the contact."),
    status: { type: "string", enum: ["received"], description: "Status of the message." },
    decisionId: id("ID of the decision about it, unless the agent decides nothing."),
    omitted: text(OMITTED_MAX_LENGTH, "Parts of the message that are not kept, for people."),
  },
};

const APPLIED = {
  type: "object",
  description: "Empty if the message is not known yet; the receipt is applied once it is.",
  properties: {
    messageId: id("ID of the message."),
    status: { type: "string", description: "Its status now." },
  },
};

/** The paths of the requests that the systems at the other end of lines send. */
export function createInbound(errors: ErrorResponses): Record<string, JsonSchema> {
  const operation = (
    operationId: string,
    summary: string,
    {
      body,
      answers,
      example,
      mail,
    }: { body: JsonSchema; answers: JsonSchema; example: object; mail?: JsonSchema },
    without: ErrorCode,
  ) => ({
    post: {
      operationId,
      summary,
      description: summary,
      tags: [INBOUND_TAG.name],
      security: [],
      parameters: PARAMETERS,
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: body, example },
          ...(mail && { "message/rfc822": { schema: mail } }),
        },
      },
      responses: { ...answers, ...errors.ofCodes(INBOUND_ERRORS.filter((code) => code !== without)) },
    },
  });
  const answer = (description: string, schema: JsonSchema, example: object) => ({
    description,
    headers: headers(),
    content: { "application/json": { schema, example } },
  });
  const received = {
    id: MESSAGE_ID,
    conversationId: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e7",
    contactId: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e8",
    status: "received",
    decisionId: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e9",
  };
  return {
    "/inbound/{lineId}": operation(
      "receiveMessage",
      "Hand in a message that a contact wrote",
      {
        body: schemaOf(INBOUND_MESSAGE),
        example: { id: "SM-17", from: "+41446681800", text: "Hello", timestamp: "2026-11-21T06:36:59Z" },
        answers: {
          200: answer("The message, which was known.", RECEIVED, received),
          202: answer("The new message.", RECEIVED, received),
          204: {
            description: "A bounce without the address of a sender, which is not kept.",
            headers: headers(),
          },
        },
        mail: { type: "string", format: "binary", description: "On an e-mail line, the mail as it arrived." },
      },
      "not_found",
    ),
    "/inbound/{lineId}/status": operation(
      "reportStatus",
      "Report the status of a message",
      {
        body: schemaOf(INBOUND_RECEIPT),
        example: { messageId: MESSAGE_ID, status: "delivered", timestamp: "2026-11-21T06:37:02Z" },
        answers: {
          200: answer("The message as it is now.", APPLIED, { messageId: MESSAGE_ID, status: "delivered" }),
        },
      },
      "conflict",
    ),
  };
}
