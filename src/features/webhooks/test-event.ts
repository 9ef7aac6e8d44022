/** The type of test events, which are not part of any agent's stream. */
export const TEST_EVENT = "webhook.test";

const ID = { type: "string", format: "uuid" };
const TEXT = { type: "string" };

/** JSON Schema of a test event. */
export const TEST_EVENT_SCHEMA = {
  type: "object",
  required: ["id", "type", "timestamp", "agentId", "subject", "position", "data"],
  properties: {
    id: ID,
    type: { ...TEXT, enum: [TEST_EVENT] },
    timestamp: { ...TEXT, format: "date-time" },
    agentId: {
      oneOf: [ID, { type: "null" }],
      description: "Null for an endpoint that receives the events of all agents.",
    },
    subject: { ...TEXT, description: "`webhook_endpoint:<id>`." },
    position: { type: "null" },
    data: { type: "object", required: ["endpointId"], properties: { endpointId: ID } },
  },
};
