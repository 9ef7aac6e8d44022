import { auditActions } from "../audit/audit-actions";

export const configurationActions = auditActions({
  configuration_published: "A configuration of an agent was published.",
});
