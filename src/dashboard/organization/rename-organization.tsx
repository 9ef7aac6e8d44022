import { ORGANIZATION_NAME_MAX_LENGTH } from "../../features/organizations/organization.limits";
import { change } from "../api/client";
import { useViewer } from "../session/session";
import { RenameDialog } from "../ui/name-field";
import { RenameOrganizationDocument } from "./documents.generated";

export function RenameOrganization({ onClosed }: { onClosed: () => void }) {
  const { organization } = useViewer();
  return (
    <RenameDialog
      title="Rename the organization"
      name={organization.name}
      maxLength={ORGANIZATION_NAME_MAX_LENGTH}
      description="The slug stays the same."
      onRename={(name) => change(RenameOrganizationDocument, { name })}
      onClosed={onClosed}
    />
  );
}
