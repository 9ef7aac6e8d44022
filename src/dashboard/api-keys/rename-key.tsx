import { change } from "../api/client";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { type KeyFragment, UpdateApiKeyDocument } from "./documents.generated";
import { NameField } from "./name-field";

export const RenameKey = ({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) => (
  <FormDialog
    title={`Rename “${apiKey.name}”`}
    submit="Rename"
    fields={["name"]}
    conflict="name"
    onSubmit={async (form) => {
      const name = String(form.get("name"));
      await change(UpdateApiKeyDocument, { input: { id: apiKey.id, name } });
      toast(`Renamed ${apiKey.name} to ${name.trim()}.`);
    }}
    onClosed={onClosed}
  >
    {(form) => <NameField label="New name" defaultValue={apiKey.name} form={form} />}
  </FormDialog>
);
