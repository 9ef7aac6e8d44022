import { listRoute, type RouteGroup } from "../../schema/rest-route";

const EVENT = {
  id: "01a1fcd4-4d70-7d2f-9c1a-7b2a8d1a3c45",
  type: "message.delivered",
  timestamp: "2026-11-22T06:37:35.272Z",
  agentId: "01a1fcd2-2540-7a0b-8c1f-0c54a1b6b0a0",
  subject: "conversation:01a1fcd3-17a0-7d1e-8b0f-5a1f7c0f2b21",
  position: "17",
  data: {
    id: "01a1fcd4-2b51-7e2f-9c1a-6b2a8d1a3c32",
    conversationId: "01a1fcd3-17a0-7d1e-8b0f-5a1f7c0f2b21",
    sequence: 1,
    status: "delivered",
    author: "agent",
    decisionId: "01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43",
    lineId: "01a1fcd2-25c0-7b1a-8d2f-1c54a1b6b0a1",
    errorCode: null,
    providerId: null,
  },
};

/** Routes for the events of the API key's agent. */
export const eventRoutes: RouteGroup = {
  tag: "Events",
  description: "The agent's events, for systems that subscribe to them.",
  routes: [
    listRoute({
      operationId: "listEvents",
      summary: "List events",
      path: "/agent/events",
      field: "events",
      parameters: "types: [EventType!]",
      node: "id type timestamp agentId subject position data",
      endCursorHeader: "Last-Event-ID",
      errors: ["position_expired"],
      stream: {
        document: `subscription followEvents($after: String, $types: [EventType!]) {
          events(after: $after, types: $types) { id type timestamp agentId subject position data }
        }`,
        queryParameters: [
          { name: "cursor", variable: "after" },
          { name: "types", variable: "types" },
        ],
        lastEventId: "after",
        id: "position",
        event: "type",
        answers:
          "With `Accept: text/event-stream`, events are streamed as Server-Sent Events as they are committed: `id` is the position, `event` the type, and `data` the event as in the list. Events named `position` contain only a position for clients to resume from. The stream starts after `Last-Event-ID` or `cursor`, or with the next event.",
      },
      answers:
        "One page of events, oldest first. `Last-Event-ID` is the `cursor` to continue from, even after an empty page. With `types`, a page can have fewer events than `limit`, or none, even if more follow.",
      example: { answer: [EVENT] },
    }),
  ],
};
