import { auditActions } from "../audit/audit-actions";

export const agentActions = auditActions({ agent_created: "An agent was created." });
