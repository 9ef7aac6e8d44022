import { auditActions } from "../audit/audit-actions";

export const organizationActions = auditActions({
  organization_created: "An organization was created.",
  organization_renamed: "An organization's display name was changed.",
  organization_deactivated: "An organization was deactivated, so its keys are rejected.",
  organization_reactivated: "An organization was reactivated, so its keys are accepted again.",
});
