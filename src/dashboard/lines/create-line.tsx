import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import type { Agent } from "../parts/agent-page";
import { showSecret } from "../secrets/shown-secret";
import "../secrets/secret-dialog";
import { Advanced } from "../ui/advanced";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { type AddressKind, CreateLineDocument, type LineKind } from "./documents.generated";
import {
  EmailFields,
  emailOf,
  LIMIT_FIELDS,
  LimitFields,
  limitsOf,
  NameField,
  UrlField,
} from "./line-fields";
import { ADDRESS_KINDS, KINDS, optionsOf } from "./line-kinds";

/** Creates a line, and shows the signing secret of a webhook line. */
export function CreateLine(props: { agent: Agent; onCreated: (id: string) => void; onClosed: () => void }) {
  const [kind, setKind] = useState<LineKind>("webhook");
  const idempotencyKey = useIdempotencyKey();
  const submit = async (form: FormData) => {
    const fields = {
      agentId: props.agent.id,
      ...limitsOf(form),
      ...(kind === "webhook" && {
        settings: {
          webhook: {
            url: String(form.get("url")),
            addressKind: String(form.get("addressKind")) as AddressKind,
          },
        },
      }),
      ...(kind === "email" && { settings: { email: emailOf(form) } }),
    };
    const input = { ...fields, idempotencyKey: idempotencyKey(fields) };
    const { createLine } = await change(CreateLineDocument, { input });
    const { line, signingSecret } = createLine;
    if (signingSecret === null) toast(`Created ${line.name}.`);
    else showSecret({ secret: signingSecret, title: "Line created", name: line.name, kind: "signing" });
    props.onCreated(line.id);
  };
  return (
    <FormDialog
      title={`Create a line for “${props.agent.name}”`}
      submit="Create line"
      size="lg"
      conflict="name"
      onSubmit={submit}
      onClosed={props.onClosed}
    >
      {({ field, errorOf }) => (
        <>
          <NameField field={field} />
          <NativeSelect
            label="Kind"
            description={KINDS[kind].help}
            data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as LineKind)}
          />
          {kind === "webhook" && (
            <>
              <UrlField field={field} />
              <NativeSelect
                name="addressKind"
                label="Sends to"
                description="This can’t be changed later."
                data={optionsOf(ADDRESS_KINDS)}
              />
            </>
          )}
          {kind === "email" && <EmailFields field={field} />}
          <Advanced hasErrors={LIMIT_FIELDS.some(errorOf)}>
            <LimitFields field={field} />
          </Advanced>
        </>
      )}
    </FormDialog>
  );
}
