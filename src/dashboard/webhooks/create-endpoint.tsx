import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { DESCRIPTION_MAX_LENGTH, URL_MAX_LENGTH } from "../../features/webhooks/webhook.limits";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { labelOf } from "../parts/agent-label";
import type { AgentsQuery } from "../parts/documents.generated";
import { showSecret } from "../secrets/shown-secret";
import "../secrets/secret-dialog";
import { changedFields } from "../ui/changed-fields";
import { FormDialog, type FormState } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import {
  CreateWebhookEndpointDocument,
  type EndpointFragment,
  UpdateWebhookEndpointDocument,
} from "./documents.generated";
import { useEventTypes } from "./event-types";

function EndpointFields({ field, endpoint }: Pick<FormState, "field"> & { endpoint?: EndpointFragment }) {
  return (
    <>
      <TextInput
        {...field("url")}
        type="url"
        label="URL"
        description="Managers can read the URL in the audit log, so it must not contain a secret."
        placeholder="https://crm.example.com/events"
        defaultValue={endpoint?.url}
        maxLength={URL_MAX_LENGTH}
        required
        data-autofocus
      />
      <TextInput
        {...field("description")}
        label="Description (optional)"
        defaultValue={endpoint?.description ?? ""}
        maxLength={DESCRIPTION_MAX_LENGTH}
      />
    </>
  );
}

const settingsOf = (form: FormData) => ({
  url: String(form.get("url")),
  description: String(form.get("description")).trim() || null,
});

/** Creates a webhook endpoint and shows its signing secret. */
export function CreateEndpoint(props: {
  agents: AgentsQuery["agents"];
  onCreated: (id: string) => void;
  onClosed: () => void;
}) {
  const { agents } = props;
  const { types, field: typesField } = useEventTypes(null);
  const idempotencyKey = useIdempotencyKey();
  const submit = async (form: FormData) => {
    const fields = { ...settingsOf(form), agentId: String(form.get("agent")) || null, types };
    const input = { ...fields, idempotencyKey: idempotencyKey(fields) };
    const { createWebhookEndpoint } = await change(CreateWebhookEndpointDocument, { input });
    const { endpoint, signingSecret } = createWebhookEndpoint;
    if (signingSecret === null) toast("Created the webhook. Rotate its secret to see a new one.");
    else showSecret({ secret: signingSecret, title: "Webhook created", name: endpoint.url, kind: "signing" });
    props.onCreated(endpoint.id);
  };
  return (
    <FormDialog
      title="Create a webhook"
      submit="Create webhook"
      size="lg"
      onSubmit={submit}
      onClosed={props.onClosed}
    >
      {({ field }) => (
        <>
          <EndpointFields field={field} />
          <NativeSelect
            name="agent"
            label="Agent"
            description="This can’t be changed later."
            data={[
              { value: "", label: "All agents, including future ones" },
              ...agents.map((agent) => ({ value: agent.id, label: labelOf(agent, agents) })),
            ]}
          />
          {typesField}
        </>
      )}
    </FormDialog>
  );
}

export function EditEndpoint(props: { endpoint: EndpointFragment; onClosed: () => void }) {
  // Keeps the endpoint as first shown, because other people may change it while the form is open.
  const [endpoint] = useState(props.endpoint);
  const { types, field: typesField } = useEventTypes(endpoint.types);
  const submit = (form: FormData) => {
    const input = { id: endpoint.id, ...changedFields({ ...settingsOf(form), types }, endpoint) };
    return change(UpdateWebhookEndpointDocument, { input });
  };
  return (
    <FormDialog
      title="Edit the webhook"
      submit="Save"
      size="lg"
      onSubmit={submit}
      done="Changed the webhook."
      onClosed={props.onClosed}
    >
      {({ field }) => (
        <>
          <EndpointFields field={field} endpoint={endpoint} />
          {typesField}
          <p>A new URL gets pending events immediately. New event types apply to future events.</p>
        </>
      )}
    </FormDialog>
  );
}
