import type { ErrorCode } from "../../errors";
import { bodySchema, type HttpOperation } from "../../schema/http-operation";
import { OMITTED_MAX_LENGTH } from "../messages/message.entity";
import { MessageStatus } from "../messages/message.enums";
import { INBOUND_MESSAGE, INBOUND_RECEIPT } from "./inbound.bodies";
import { MAIL_MAX_BYTES } from "./inbound.limits";

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

const id = (description: string): object => ({ type: "string", format: "uuid", description });

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
    ["webhook-id", "An ID for the request, chosen by the sender."],
    ["webhook-timestamp", "When the request was signed (Unix time in seconds), at most five days ago."],
    [
      "webhook-signature",
      "One or more signatures, separated by spaces, each consisting of `v1,` and Base64.",
    ],
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
    conversationId: id("ID of the message's conversation."),
    contactId: id("ID of the contact."),
    status: { type: "string", enum: ["received"], description: "Status of the message." },
    decisionId: id("ID of the decision about the message. Absent if the agent makes no decision."),
    omitted: {
      ...{ type: "string", minLength: 1, maxLength: OMITTED_MAX_LENGTH },
      description: "Human-readable description of the message parts that were not stored.",
    },
  },
};

const APPLIED = {
  type: "object",
  description: "Empty if the message is not known yet. The receipt is then applied later.",
  properties: {
    messageId: id("ID of the message."),
    status: {
      type: "string",
      enum: Object.values(MessageStatus),
      description: "The current status of the message.",
    },
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

/** Describes the requests that systems connected to lines send. */
export const inboundOperations = (): readonly HttpOperation[] => [
  {
    operationId: "receiveMessage",
    summary: "Submit a message from a contact",
    path: "/inbound/{lineId}",
    parameters: PARAMETERS,
    body: {
      "application/json": {
        schema: bodySchema(INBOUND_MESSAGE),
        example: { id: "SM-17", from: "+41446681800", text: "Hello", timestamp: "2026-11-21T06:36:59Z" },
      },
      "message/rfc822": {
        schema: {
          type: "string",
          format: "binary",
          maxLength: MAIL_MAX_BYTES,
          description: "For an e-mail line, the unmodified e-mail.",
        },
      },
    },
    answers: {
      200: { description: "The message was already stored.", ...received },
      202: { description: "The message was stored.", ...received },
      204: { description: "A mail server's report was received, and no message was stored." },
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
        schema: bodySchema(INBOUND_RECEIPT),
        example: { messageId: MESSAGE_ID, status: "delivered", timestamp: "2026-11-21T06:37:02Z" },
      },
    },
    answers: {
      200: {
        description: "The updated message.",
        schema: APPLIED,
        example: { messageId: MESSAGE_ID, status: "delivered" },
      },
    },
    errors: ERRORS.filter((code) => code !== "conflict"),
  },
];
