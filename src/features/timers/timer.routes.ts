import { listRoute, type RouteGroup } from "../../schema/rest-route";

const WAITING = {
  id: "01a1fcd4-2b52-7d2f-9c1a-7b2a8d1a3c51",
  contactId: "01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b11",
  conversationId: "01a1fcd3-17a0-7d1e-8b0f-5a1f7c0f2b21",
  key: "pay-A-17",
  situationType: "payment.reminder",
  data: { orderId: "A-17" },
  unless: ["message.received"],
  dueAt: "2026-11-23T06:37:35.072Z",
  decisionId: "01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43",
  createdAt: "2026-11-22T06:37:35.072Z",
};

export const timerRoutes: RouteGroup = {
  tag: "Timers",
  description: "Situations that are submitted to the agent later.",
  routes: [
    listRoute({
      operationId: "listTimers",
      summary: "List waiting timers",
      path: "/agent/timers",
      field: "timers",
      parameters: "contactId: ID",
      node: "id contactId conversationId key situationType data unless dueAt decisionId createdAt",
      isForModels: false,
      answers: "One page of waiting timers, oldest first.",
      example: { answer: [WAITING] },
    }),
    {
      operationId: "cancelTimer",
      summary: "Cancel a waiting timer",
      method: "DELETE",
      path: "/agent/timers/:timerId",
      document: "mutation cancelTimer($id: ID!) { cancelTimer(input: { id: $id }) { id } }",
      pathParameters: [{ name: "timerId", variable: "id", format: "uuid", example: WAITING.id }],
      status: 204,
      isForModels: false,
      answers: "The timer was canceled.",
      example: {},
    },
  ],
};
