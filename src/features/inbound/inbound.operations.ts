import { z } from "zod";
import type { ErrorCode } from "../../errors";
import type { HttpOperation } from "../../schema/http-operation";
import { OMITTED_MAX_LENGTH } from "../messages/message.entity";
import { INBOUND_MESSAGE, INBOUND_RECEIPT } from "./inbound.bodies";

const ERRORS: readonly ErrorCode[] = [
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

const text = (maxLength: number, description: string, minLength = 1): object => ({
  type: "string",
  minLength,
  maxLength,
  description,
});
const id = (description: string): object => ({ type: "string", format: "uuid", description });

/** The JSON Schema of a body. */
const schemaOf = (body: z.ZodType): Readonly<Record<string, unknown>> => {
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

const received = {
  schema: RECEIVED,
  example: {
    id: MESSAGE_ID,
    conversationId: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e7",
    contactId: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e8",
    status: "received",
    decisionId: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e9",
  },
};

/** Describes the requests that the systems at the other end of lines send. */
export const inboundOperations = (): readonly HttpOperation[] => [
  {
    operationId: "receiveMessage",
    summary: "Hand in a message that a contact wrote",
    path: "/inbound/{lineId}",
    parameters: PARAMETERS,
    body: {
      "application/json": {
        schema: schemaOf(INBOUND_MESSAGE),
        example: { id: "SM-17", from: "+41446681800", text: "Hello", timestamp: "2026-11-21T06:36:59Z" },
      },
      "message/rfc822": {
        schema: {
          type: "string",
          format: "binary",
          description: "On an e-mail line, the mail as it arrived.",
        },
      },
    },
    answers: {
      200: { description: "The message, which was known.", ...received },
      202: { description: "The new message.", ...received },
      204: { description: "A bounce without the address of a sender, which is not kept." },
    },
    errors: ERRORS.filter((code) => code !== "not_found"),
  },
  {
    operationId: "reportStatus",
    summary: "Report the status of a message",
    path: "/inbound/{lineId}/status",
    parameters: PARAMETERS,
    body: {
      "application/json": {
        schema: schemaOf(INBOUND_RECEIPT),
        example: { messageId: MESSAGE_ID, status: "delivered", timestamp: "2026-11-21T06:37:02Z" },
      },
    },
    answers: {
      200: {
        description: "The message as it is now.",
        schema: APPLIED,
        example: { messageId: MESSAGE_ID, status: "delivered" },
      },
    },
    errors: ERRORS.filter((code) => code !== "conflict"),
  },
];
