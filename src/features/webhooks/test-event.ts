import { ID, object, orNull, TEXT } from "../../schema/event-type";

/** The type of test events, which are not part of any agent's stream. */
export const TEST_EVENT = "webhook.test";

export const TEST_EVENT_SCHEMA = object({
  id: ID,
  type: { ...TEXT, enum: [TEST_EVENT] },
  timestamp: { ...TEXT, format: "date-time" },
  agentId: { ...orNull(ID), description: "Null for an endpoint that receives the events of all agents." },
  subject: { ...TEXT, description: "`webhook_endpoint:<id>`." },
  position: { type: "null" },
  data: object({ endpointId: ID }),
});
