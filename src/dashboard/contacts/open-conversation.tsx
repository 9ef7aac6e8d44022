import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { LineField } from "../parts/line-field";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { type AddressKind, OpenConversationDocument } from "./documents.generated";

export const ADDRESS_KINDS = [
  { value: "email", label: "E-mail" },
  { value: "phone", label: "Phone" },
  { value: "local", label: "On this server" },
  { value: "other", label: "Other" },
] as const satisfies readonly { value: AddressKind; label: string }[];

/**
 * Opens the conversation with a contact, or starts a new one.
 * @param agents the agents to choose from; defaults to `agentId` alone
 * @param contact the contact to write to; if omitted, the user types an address
 */
export function OpenConversation(props: {
  agentId: string;
  agents?: readonly { value: string; label: string }[];
  contact?: { id: string; name: string };
  onClosed: () => void;
}) {
  const { agents = [], contact } = props;
  const [agentId, setAgentId] = useState(props.agentId);
  const [, navigate] = useLocation();
  const keyOf = useIdempotencyKey();
  const open = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const given = {
      agentId,
      contact:
        contact === undefined
          ? { address: { kind: text("kind") as AddressKind, address: text("address") } }
          : { id: contact.id },
      line: text("line") === "" ? null : { name: text("line") },
      text: text("text") || null,
    };
    const { openConversation } = await change(
      OpenConversationDocument,
      { input: { ...given, idempotencyKey: keyOf(given) } },
      { waitUntilShown: false },
    );
    if (!openConversation.created) toast("This conversation was already open.");
    navigate(`/conversations/${openConversation.conversation.id}`);
  };
  return (
    <FormDialog
      title={contact === undefined ? "New conversation" : `Message ${contact.name}`}
      submit={contact === undefined ? "Start conversation" : "Continue"}
      onSubmit={open}
      onClosed={props.onClosed}
    >
      {({ field, errorOf }) => (
        <>
          {agents.length > 1 && (
            <NativeSelect
              label="Agent"
              data={[...agents]}
              value={agentId}
              onChange={({ currentTarget }) => setAgentId(currentTarget.value)}
            />
          )}
          {contact === undefined && (
            <>
              <NativeSelect name="kind" label="Kind of address" data={[...ADDRESS_KINDS]} />
              <TextInput
                {...field("address")}
                label="Contact’s address"
                description="The contact must already exist. Phone numbers need a country code."
                required
                data-autofocus
              />
            </>
          )}
          <LineField key={agentId} agentId={agentId} any="Default line" error={errorOf("line")} />
          <Textarea
            name="text"
            label="First message (optional)"
            rows={4}
            dir="auto"
            error={errorOf("text")}
          />
        </>
      )}
    </FormDialog>
  );
}
