import { TextInput } from "@mantine/core";
import { useRef } from "react";
import { AGENT_NAME_MAX_LENGTH } from "../../features/agents/agent.limits";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { FormDialog } from "../ui/form-dialog";
import { NameField } from "../ui/name-field";
import { toast } from "../ui/toast";
import { CreateAgentDocument } from "./documents.generated";

const SLUG_MAX_LENGTH = 63;

/**
 * Derives a slug from a name: removes accents, lowercases letters, and replaces all characters except a–z and
 * digits with hyphens. Returns "" if the name has no such characters.
 */
const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_MAX_LENGTH)
    .replace(/^-|-$/g, "");

/**
 * Creates an agent from a form.
 * @param onCreated receives the ID of the new agent
 */
export function CreateAgent(props: { onCreated: (id: string) => void; onClosed: () => void }) {
  const { onCreated, onClosed } = props;
  const keyOf = useIdempotencyKey();
  const slug = useRef<HTMLInputElement>(null);
  const proposed = useRef("");
  /** Proposes a slug unless the user has typed one. */
  const propose = (name: string) => {
    if (slug.current?.value === proposed.current) slug.current.value = proposed.current = slugOf(name);
  };
  const submit = async (form: FormData) => {
    const fields = { name: String(form.get("name")), slug: String(form.get("slug")) };
    const input = { ...fields, idempotencyKey: keyOf(fields) };
    const { createAgent: agent } = await change(CreateAgentDocument, { input });
    toast(`Created ${agent.name}.`);
    onCreated(agent.id);
  };
  return (
    <FormDialog
      title="Create an agent"
      submit="Create agent"
      conflict="slug"
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          <NameField
            field={field}
            description="You can change it at any time."
            maxLength={AGENT_NAME_MAX_LENGTH}
            onInput={({ currentTarget }) => propose(currentTarget.value)}
          />
          <TextInput
            {...field("slug")}
            ref={slug}
            label="Slug"
            description="A short name for the command line and logs, such as support-desk. It can’t be changed later."
            maxLength={SLUG_MAX_LENGTH}
            required
            autoCapitalize="none"
            spellCheck={false}
          />
          <p>
            The agent starts with a local line named main and an example rule, which sends a message when an
            order is shipped.
          </p>
        </>
      )}
    </FormDialog>
  );
}
