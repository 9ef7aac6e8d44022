import { auditActions } from "../audit/audit-actions";

export const keyUsageActions = auditActions({
  api_key_refused:
    "A revoked or expired API key, or a key belonging to a deactivated organization, was presented. Attempts are counted per minute.",
  api_key_address_refused:
    "An API key was presented from an address outside its allowed networks. Attempts are counted per minute.",
});
