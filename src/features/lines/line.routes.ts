import type { RouteGroup } from "../../schema/rest-route";

export const lineRoutes: RouteGroup = {
  tag: "Lines",
  description: "The lines that the agent sends messages from.",
  routes: [
    {
      operationId: "listLines",
      summary: "List the agent's lines",
      method: "GET",
      path: "/agent/lines",
      document: `query listLines {
        lines {
          id name kind address state pausedReason isDefault ratePerMinute expireAfterSeconds whenUncertain optOutReply optOutWords
          fault { code detail since }
          webhook { url addressKind }
          email { host port security user hasPassword from subject listAddress }
          secretGeneration previousSecretUntil version createdAt
        }
      }`,
      answers: "All of the agent's lines, ordered by name.",
      example: {
        answer: [
          {
            id: "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a1",
            name: "main",
            kind: "local",
            state: "active",
            isDefault: true,
            expireAfterSeconds: 259_200,
            whenUncertain: "retry",
            optOutWords: [],
            secretGeneration: 0,
            version: 1,
            createdAt: "2026-11-21T06:36:32.976Z",
          },
        ],
      },
    },
  ],
};
