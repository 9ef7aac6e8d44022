import type { RouteGroup } from "../../schema/rest-route";

/** The message API. */
export const messageRoutes: RouteGroup = {
  tag: "Messages",
  description: "Messages queued for the agent of the API key.",
  routes: [
    {
      operationId: "sendMessage",
      summary: "Queue a message for the agent",
      method: "POST",
      path: "/messages",
      document: `mutation sendMessage($input: NewMessage!) {
        sendMessage(input: $input) { id message status createdAt }
      }`,
      bodyVariable: "input",
      status: 201,
      result: ["sendMessage"],
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
  ],
};
