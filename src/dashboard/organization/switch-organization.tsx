import { useState } from "react";
import { change } from "../api/client";
import { useViewer } from "../session/session";
import { FormDialog } from "../ui/form-dialog";
import { DeactivateOrganizationDocument, ReactivateOrganizationDocument } from "./documents.generated";

/** Deactivates or reactivates the organization after its slug is typed as a confirmation. */
export function SwitchOrganization({ onClosed }: { onClosed: () => void }) {
  const { organization } = useViewer();
  // Remembers which question was asked, because the response changes the organization's state.
  const [deactivates] = useState(organization.deactivatedAt === null);
  const verb = deactivates ? "Deactivate" : "Reactivate";
  return (
    <FormDialog
      title={`${verb} “${organization.name}”?`}
      submit={verb}
      isDestructive={deactivates}
      confirm={organization.slug}
      onSubmit={() =>
        deactivates ? change(DeactivateOrganizationDocument, {}) : change(ReactivateOrganizationDocument, {})
      }
      done={`${verb}d ${organization.name}.`}
      onClosed={onClosed}
    >
      <p>
        {deactivates
          ? "All requests with this organization’s keys will fail with 401 until you reactivate it. Members keep read-only access."
          : "API keys start working again immediately."}
      </p>
    </FormDialog>
  );
}
