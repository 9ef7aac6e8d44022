import { change } from "../api/client";
import { FormDialog } from "../ui/form-dialog";
import { EraseContactDocument } from "./documents.generated";

/** The dialog for erasing a contact. */
export const EraseContact = ({ id, name, onClosed }: { id: string; name: string; onClosed: () => void }) => (
  <FormDialog
    title={`Erase “${name}”?`}
    submit="Erase contact"
    isDestructive
    onClosed={onClosed}
    onSubmit={() => change(EraseContactDocument, { id })}
    done="Erased the contact."
  >
    <p>
      All data about this contact will be deleted: names, addresses, attributes, tags, the texts of all
      messages, and the data behind decisions. Open conversations will be closed. This can’t be undone.
    </p>
  </FormDialog>
);
