import { auditActions } from "../audit/audit-actions";

export const agentActions = auditActions({
  agent_created: "An agent was created.",
  agent_renamed: "An agent was given another display name.",
  agent_deleted: "An agent was deleted, with everything that belongs to it except its keys.",
});
