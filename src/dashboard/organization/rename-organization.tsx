import { TextInput } from "@mantine/core";
import { change } from "../api/client";
import { useViewer } from "../session/session";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { RenameOrganizationDocument } from "./documents.generated";

const NAME_MAX_LENGTH = 200;

export function RenameOrganization({ onClosed }: { onClosed: () => void }) {
  const { organization } = useViewer();
  const submit = async (form: FormData) => {
    const name = String(form.get("name"));
    await change(RenameOrganizationDocument, { name });
    toast(`Renamed ${organization.name} to ${name.trim()}.`);
  };
  return (
    <FormDialog
      title="Rename the organization"
      submit="Rename"
      fields={["name"]}
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <TextInput
          {...field("name")}
          label="New name"
          description="The slug stays the same."
          defaultValue={organization.name}
          maxLength={NAME_MAX_LENGTH}
          required
          data-autofocus
        />
      )}
    </FormDialog>
  );
}
