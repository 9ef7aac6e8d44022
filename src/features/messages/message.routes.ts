import { listRoute, named, type RouteGroup } from "../../schema/rest-route";

export const MESSAGE = `id message: text subject html quoted status createdAt conversationId sequence direction author decisionId lineId
  heldReason waitsFor notBefore sendAt scheduledReason scheduledBy proposedText reviewedAt topic attempts errorCode errorText resentAs omitted providerId expiresAt sentAt deliveredAt readAt`;

const MESSAGE_ID = {
  name: "messageId",
  variable: "id",
  format: "uuid",
  example: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e6",
} as const;

const DELIVERED = {
  id: MESSAGE_ID.example,
  message: "Hello",
  status: "delivered",
  createdAt: "2026-11-21T06:36:59.356Z",
  direction: "outbound",
  author: "api",
  attempts: 1,
  lineId: "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a1",
  expiresAt: "2026-11-24T06:36:59.356Z",
  sentAt: "2026-11-21T06:36:59.371Z",
  deliveredAt: "2026-11-21T06:36:59.371Z",
};

const UNSENT = {
  ...DELIVERED,
  attempts: 0,
  lineId: undefined,
  sentAt: undefined,
  deliveredAt: undefined,
};

const REVIEWED = {
  ...UNSENT,
  author: "agent",
  proposedText: DELIVERED.message,
  reviewedAt: "2026-11-21T06:42:10.027Z",
};

export const messageRoutes: RouteGroup = {
  tag: "Messages",
  description: "Messages that the API key's agent sends and receives.",
  routes: [
    {
      operationId: "sendMessage",
      summary: "Queue a message for the agent",
      method: "POST",
      path: "/messages",
      document: `mutation sendMessage($message: String!, $sendAt: DateTimeISO, $idempotencyKey: String) {
        sendMessage(input: { text: $message, sendAt: $sendAt, idempotencyKey: $idempotencyKey }) {
          id message: text status createdAt sendAt
        }
      }`,
      bodyMembers: named("message", "sendAt"),
      status: 201,
      errors: ["queue_full"],
      reachesPeople: true,
      answers: "The queued message.",
      example: {
        body: { message: "Hello" },
        answer: {
          id: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e6",
          message: "Hello",
          status: "queued",
          createdAt: "2026-11-21T06:36:59.356Z",
        },
      },
    },
    listRoute({
      operationId: "listMessages",
      summary: "List the agent's messages",
      path: "/messages",
      field: "messages",
      parameters: "status: MessageStatus, order: ListOrder",
      node: MESSAGE,
      answers: "One page of messages, oldest first by default.",
      example: { answer: [DELIVERED] },
    }),
    {
      operationId: "getMessage",
      summary: "Get one of the agent's messages",
      method: "GET",
      path: "/messages/:messageId",
      document: `query getMessage($id: ID!) {
        message(id: $id) { ${MESSAGE} }
      }`,
      pathParameters: [MESSAGE_ID],
      answers: "The message and its delivery.",
      example: { answer: DELIVERED },
    },
    {
      operationId: "cancelMessage",
      summary: "Cancel a message that has not been sent",
      method: "POST",
      path: "/messages/:messageId/cancel",
      document: `mutation cancelMessage($id: ID!) {
        cancelMessage(input: { id: $id }) { ${MESSAGE} }
      }`,
      pathParameters: [MESSAGE_ID],
      errors: ["not_found", "conflict"],
      destructive: true,
      answers: "The canceled message.",
      example: { answer: { ...UNSENT, status: "canceled", errorCode: "canceled" } },
    },
    {
      operationId: "approveMessage",
      summary: "Approve a proposed message",
      method: "POST",
      path: "/messages/:messageId/approve",
      document: `mutation approveMessage($id: ID!, $message: String) {
        approveMessage(input: { id: $id, text: $message }) { ${MESSAGE} }
      }`,
      pathParameters: [MESSAGE_ID],
      bodyMembers: named("message"),
      errors: ["not_found", "conflict"],
      reachesPeople: true,
      // Models propose messages; people approve them.
      isForModels: false,
      answers: "The queued or scheduled message.",
      example: {
        body: { message: "Hello Anna" },
        answer: { ...REVIEWED, message: "Hello Anna", status: "queued", proposedText: "Hello" },
      },
    },
    {
      operationId: "discardMessage",
      summary: "Discard a proposed message",
      method: "POST",
      path: "/messages/:messageId/discard",
      document: `mutation discardMessage($id: ID!, $reason: String) {
        discardMessage(input: { id: $id, reason: $reason }) { ${MESSAGE} }
      }`,
      pathParameters: [MESSAGE_ID],
      bodyMembers: named("reason"),
      errors: ["not_found", "conflict"],
      destructive: true,
      isForModels: false,
      answers: "The canceled message.",
      example: {
        body: { reason: "Too early" },
        answer: { ...REVIEWED, status: "canceled", errorCode: "discarded", errorText: "Too early" },
      },
    },
  ],
};
