import { listRoute, named, PAGE, type RestRoute, type RouteGroup } from "../../schema/rest-route";
import { MESSAGE } from "../messages/message.routes";

const CONVERSATION =
  "id contactId line: lineName address state handler assigneeId waitingSince releaseAt version lastSequence createdAt updatedAt";

const ID = {
  name: "conversationId",
  variable: "id",
  format: "uuid",
  example: "01a1fcd3-17a0-7d1e-8b0f-5a1f7c0f2b21",
} as const;

/** Returns the request parameter for a line, which REST identifies only by name. */
const lineNamed = (description: string) =>
  ({ name: "line", variable: "line", field: "name", description }) as const;

const MEMBER_ID = "01a1fcd0-3b51-7a40-9a55-1d7e8b0c4f10";

const WITH_ANNA = {
  id: ID.example,
  contactId: "01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b11",
  line: "main",
  address: "anna",
  state: "open",
  handler: "agent",
  version: 1,
  lastSequence: 1,
  createdAt: "2026-11-21T06:37:35.072Z",
  updatedAt: "2026-11-21T06:37:35.072Z",
};

const ACCEPTED = {
  id: "01a1fcd3-17a1-7e2f-9c1a-6b2a8d1a3c32",
  message: "Hello Anna",
  status: "queued",
  createdAt: "2026-11-21T06:37:35.073Z",
  conversationId: ID.example,
  sequence: 1,
};

const DELIVERED = {
  ...ACCEPTED,
  status: "delivered",
  direction: "outbound",
  author: "api",
  attempts: 1,
  lineId: "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a1",
  expiresAt: "2026-11-24T06:37:35.073Z",
  sentAt: "2026-11-21T06:37:35.081Z",
  deliveredAt: "2026-11-21T06:37:35.081Z",
};

const CHANGE = `conversation { ${CONVERSATION} } canceled carried inFlight`;
const CHANGED = "The conversation, and the IDs of affected messages.";

const LAST_MESSAGE = {
  id: ACCEPTED.id,
  sequence: 1,
  author: "api",
  status: "delivered",
  preview: ACCEPTED.message,
  createdAt: ACCEPTED.createdAt,
};

/** Returns the route for a change whose only input is the expected version. */
const change = (verb: "handOff" | "release" | "close", summary: string, after: object): RestRoute => ({
  operationId: `${verb}Conversation`,
  summary,
  method: "POST",
  path: `/agent/conversations/:conversationId/${verb.toLowerCase()}`,
  document: `mutation ${verb}Conversation($id: ID!, $expectedVersion: Int) {
    ${verb}Conversation(input: { id: $id, expectedVersion: $expectedVersion }) { ${CHANGE} }
  }`,
  pathParameters: [ID],
  bodyMembers: named("expectedVersion"),
  errors: verb === "close" ? ["version_conflict"] : ["version_conflict", "conflict"],
  // Unlike the other changes, a release does not cancel queued messages.
  destructive: verb !== "release",
  // A release raises a situation, and a rule for that situation may send the contact a message.
  reachesPeople: verb === "release",
  answers: CHANGED,
  example: {
    body: { expectedVersion: 1 },
    answer: { conversation: { ...WITH_ANNA, ...after, version: 2 }, canceled: [], carried: [] },
  },
});

export const conversationRoutes: RouteGroup = {
  tag: "Conversations",
  description: "Conversations between the agent and its contacts.",
  routes: [
    {
      operationId: "openConversation",
      summary: "Open a conversation",
      method: "POST",
      path: "/agent/conversations",
      document: `mutation openConversation(
        $contact: ContactReference!, $line: LineReference, $message: String, $sendAt: DateTimeISO,
        $idempotencyKey: String
      ) {
        openConversation(
          input: {
            contact: $contact, line: $line, text: $message, sendAt: $sendAt, idempotencyKey: $idempotencyKey
          }
        ) {
          created conversation { ${CONVERSATION} }
          message { id message: text status createdAt conversationId sequence sendAt }
        }
      }`,
      bodyMembers: [
        ...named("contact"),
        lineNamed("Name of the line. Defaults to the agent's default line."),
        ...named("message", "sendAt"),
      ],
      status: { oneOf: [200, 201], choose: ({ created }) => (created === true ? 201 : 200) },
      location: ({ conversation }) => `/agent/conversations/${(conversation as { id: string }).id}`,
      errors: ["not_found", "conflict", "not_deliverable", "queue_full"],
      reachesPeople: true,
      answers: { 200: "The existing conversation.", 201: "The new conversation." },
      example: {
        body: { contact: { ref: "customer-17" }, line: "main", message: "Hello Anna" },
        answer: { created: true, conversation: WITH_ANNA, message: ACCEPTED },
      },
    },
    listRoute({
      operationId: "listConversations",
      summary: "List conversations",
      path: "/agent/conversations",
      field: "conversations",
      parameters:
        "state: ConversationState, handler: Handler, assigneeId: ID, assigned: Boolean, contactId: ID, line: LineReference, order: ConversationOrder",
      node: `${CONVERSATION} lastMessage { id sequence author status preview createdAt }`,
      queryParameters: [
        ...PAGE,
        ...named("state", "handler", "assigneeId", "assigned", "contactId"),
        lineNamed("Only conversations on the line with this name."),
        ...named("order"),
      ],
      answers: "One page of conversations. `lastMessage` requires `messages:read`.",
      example: { answer: [{ ...WITH_ANNA, lastMessage: LAST_MESSAGE }] },
    }),
    {
      operationId: "getConversation",
      summary: "Get a conversation",
      description: "One conversation, or 404 if it does not exist.",
      method: "GET",
      path: "/agent/conversations/:conversationId",
      document: `query getConversation($id: ID!) { conversation(id: $id) { ${CONVERSATION} } }`,
      pathParameters: [ID],
      answers: "The conversation.",
      example: { answer: WITH_ANNA },
    },
    listRoute({
      operationId: "listConversationMessages",
      summary: "List the messages in a conversation",
      path: "/agent/conversations/:conversationId/messages",
      field: "conversationMessages",
      parameters: "id: ID!, scheduled: Boolean, order: ListOrder",
      node: MESSAGE,
      pathParameters: [ID],
      answers: "One page of messages.",
      example: { answer: [DELIVERED] },
    }),
    {
      operationId: "sendToConversation",
      summary: "Send a message in a conversation",
      method: "POST",
      path: "/agent/conversations/:conversationId/messages",
      document: `mutation sendToConversation($id: ID!, $message: String!, $sendAt: DateTimeISO, $idempotencyKey: String) {
        sendToConversation(
          input: { id: $id, text: $message, sendAt: $sendAt, idempotencyKey: $idempotencyKey }
        ) {
          id message: text status createdAt conversationId sequence sendAt
        }
      }`,
      pathParameters: [ID],
      bodyMembers: named("message", "sendAt"),
      status: 201,
      location: ({ id }) => `/messages/${id}`,
      errors: ["conflict", "queue_full"],
      reachesPeople: true,
      answers: "The queued message.",
      example: { body: { message: "Hello Anna" }, answer: ACCEPTED },
    },
    {
      operationId: "moveConversation",
      summary: "Move a conversation",
      method: "POST",
      path: "/agent/conversations/:conversationId/move",
      document: `mutation moveConversation(
        $id: ID!, $line: LineReference!, $expectedVersion: Int, $pending: PendingMessages
      ) {
        moveConversation(
          input: { id: $id, line: $line, expectedVersion: $expectedVersion, pending: $pending }
        ) { ${CHANGE} }
      }`,
      pathParameters: [ID],
      bodyMembers: [lineNamed("Name of the line to move to."), ...named("expectedVersion", "pending")],
      errors: ["version_conflict", "not_deliverable", "conflict"],
      destructive: true,
      answers: CHANGED,
      example: {
        body: { line: "second", expectedVersion: 1, pending: "carry" },
        answer: {
          conversation: { ...WITH_ANNA, line: "second", version: 2 },
          canceled: [],
          carried: [ACCEPTED.id],
        },
      },
    },
    {
      operationId: "assignConversation",
      summary: "Assign a conversation to a member",
      method: "POST",
      path: "/agent/conversations/:conversationId/assign",
      document: `mutation assignConversation($id: ID!, $memberId: ID) {
        assignConversation(input: { id: $id, memberId: $memberId }) { ${CONVERSATION} }
      }`,
      pathParameters: [ID],
      bodyMembers: named("memberId"),
      errors: ["not_found"],
      // Models do not know members' IDs.
      isForModels: false,
      answers: "The conversation.",
      example: { body: { memberId: MEMBER_ID }, answer: { ...WITH_ANNA, assigneeId: MEMBER_ID } },
    },
    change("handOff", "Hand off a conversation", { handler: "human" }),
    change("release", "Release a conversation", {}),
    change("close", "Close a conversation", { state: "closed" }),
  ],
};
