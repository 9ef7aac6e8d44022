import type { RouteGroup } from "../../schema/rest-route";

/** The route that identifies the agent or organization of an API key. */
export const agentRoutes: RouteGroup = {
  tag: "Agent",
  description: "The agent or organization that an API key resolves to.",
  routes: [
    {
      operationId: "whoami",
      summary: "Verify an API key",
      description: "The agent or organization of the API key.",
      method: "GET",
      path: "/agent/whoami",
      keys: ["key", "organizationKey"],
      document: `query whoami {
        whoami {
          agent { id slug name }
          organization { id slug name }
          key { id name hint createdAt }
        }
      }`,
      answers: "The agent, the organization and the API key.",
      example: {
        answer: {
          agent: { id: "01a1fcd2-254e-77bb-8319-2e26d1494ad2", slug: "first-agent", name: "First agent" },
          organization: {
            id: "01a1fcd2-254a-710b-bfb2-e21891ca2d51",
            slug: "first",
            name: "First organization",
          },
          key: {
            id: "01a1fcd2-2552-7717-b403-47e51492d93d",
            name: "First key",
            hint: "agk_dev_NMHsHkUwZKGz",
            createdAt: "2026-11-21T06:36:32.978Z",
          },
        },
      },
    },
  ],
};
