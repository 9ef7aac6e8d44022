import { auditActions } from "../audit/audit-actions";

export const leakedKeyActions = auditActions({
  api_key_leaked: "An API key was revoked because it was reported as leaked.",
});
