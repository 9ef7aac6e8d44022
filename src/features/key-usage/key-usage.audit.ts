import { auditActions } from "../audit/audit-actions";

export const keyUsageActions = auditActions({
  api_key_refused: "A revoked, expired or unresolvable API key was presented; counted per minute.",
});
