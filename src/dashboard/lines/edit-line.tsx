import { useState } from "react";
import { change } from "../api/client";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { type LineDetailsFragment, UpdateLineDocument, type UpdateLineInput } from "./documents.generated";
import { EmailFields, emailOf, LimitFields, limitsOf, NameField, UrlField } from "./line-fields";

/** Changes the settings of a line. Fails if they have changed since the dialog was opened. */
export function EditLine(props: { line: LineDetailsFragment; onClosed: () => void }) {
  // Keeps the line as first shown, because other people may change it while the form is open.
  const [line] = useState(props.line);
  const { id, version, kind } = line;
  const submit = async (form: FormData) => {
    const input: UpdateLineInput = {
      id,
      expectedVersion: version,
      ...limitsOf(form),
      ...(kind === "webhook" && { webhook: { url: String(form.get("url")) } }),
      ...(kind === "email" && { email: emailChanges(form, line) }),
    };
    await change(UpdateLineDocument, { input });
    toast(`Changed ${input.name}.`);
  };
  return (
    <FormDialog
      title={`Edit ${line.name}`}
      submit="Save"
      size="lg"
      conflict="name"
      onSubmit={submit}
      onClosed={props.onClosed}
    >
      {({ field }) => (
        <>
          <NameField field={field} line={line} />
          {line.webhook && <UrlField field={field} url={line.webhook.url} />}
          {line.email && <EmailFields field={field} email={line.email} />}
          <LimitFields field={field} line={line} />
        </>
      )}
    </FormDialog>
  );
}

/** If the password is empty, the stored password is preserved, unless the user name is removed. */
function emailChanges(form: FormData, { email }: LineDetailsFragment) {
  const { password, ...others } = emailOf(form);
  if (password !== null) return { ...others, password };
  return others.user === null && email?.hasPassword ? { ...others, password: null } : others;
}
