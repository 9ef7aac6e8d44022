import { auditActions } from "../audit/audit-actions";

export const apiKeyActions = auditActions({
  api_key_created: "An API key was minted.",
  api_key_renamed: "An API key was renamed.",
  api_key_updated: "An API key's settings were changed.",
  api_key_rotated: "An API key was replaced by a new one.",
  api_key_revoked: "An API key was revoked.",
});
