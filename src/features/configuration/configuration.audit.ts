import { auditActions } from "../audit/audit-actions";

export const configurationActions = auditActions({
  configuration_published: "An agent's configuration was published.",
});
