import { change } from "../api/client";
import { changedFields } from "../ui/changed-fields";
import { FormDialog } from "../ui/form-dialog";
import { type KeyFragment, UpdateApiKeyDocument } from "./documents.generated";
import { LimitFields, limitsOf } from "./key-limits";

/** Changes a key's description, rate limit and networks. */
export const KeySettings = ({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) => (
  <FormDialog
    title={`Settings for “${apiKey.name}”`}
    of={apiKey.id}
    submit="Save"
    onSubmit={(form) =>
      change(UpdateApiKeyDocument, { input: { id: apiKey.id, ...changedFields(limitsOf(form), apiKey) } })
    }
    done={`Changed the settings of ${apiKey.name}.`}
    onClosed={onClosed}
  >
    {(form) => (
      <>
        <LimitFields of={apiKey} form={form} />
        <p>Changes take effect on the next request.</p>
      </>
    )}
  </FormDialog>
);
