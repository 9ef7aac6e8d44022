import { auditActions } from "../audit/audit-actions";

export const agentActions = auditActions({
  agent_created: "An agent was created.",
  agent_renamed: "An agent's display name was changed.",
  agent_deleted: "An agent was deleted, along with everything that belongs to it except its keys.",
});
