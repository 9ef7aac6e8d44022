import { auditActions } from "../audit/audit-actions";

export const contactActions = auditActions({
  contact_erased: "A contact was erased.",
  contact_consent_set: "A contact's consent was set.",
});
