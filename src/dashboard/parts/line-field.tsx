import { NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import {
  type AddressKind,
  ContactAddressKindsDocument,
  LineNamesDocument,
  type LineNamesQuery,
} from "./documents.generated";

/** Address kinds, worded for use in a sentence. */
const ADDRESSES: Readonly<Record<AddressKind, string>> = {
  email: "e-mail address",
  phone: "phone number",
  local: "address on this server",
  other: "address in another system",
};

/** Returns the kind of address that a line sends to. */
const addressKindOf = ({ kind, webhook }: LineNamesQuery["lines"][number]): AddressKind => {
  if (webhook !== null) return webhook.addressKind;
  return kind === "email" ? "email" : "local";
};

/**
 * The field for a line's name. Managers select a line; other members cannot list the lines, so they type a name.
 * @param any the label for "no line", if the field may be empty; otherwise, paused lines cannot be chosen
 * @param except the line to exclude
 * @param contactId the contact that the line must reach
 */
export function LineField(props: {
  agentId: string;
  any?: string;
  except?: string;
  contactId?: string;
  error: ReactNode;
}) {
  const { agentId, any, except, contactId, error } = props;
  const { manages } = useViewer();
  const { data, error: failure } = usePolledQuery(
    LineNamesDocument,
    { agentId },
    { enabled: manages, pollMs: 60_000 },
  );
  const contact = usePolledQuery(
    ContactAddressKindsDocument,
    { id: contactId ?? "" },
    { enabled: manages && contactId !== undefined, pollMs: 60_000 },
  ).data?.contact;
  if (!manages || (data === undefined && failure !== null)) {
    return (
      <TextInput
        name="line"
        label="Line"
        description={
          any === undefined
            ? "The name of an active line that can reach this contact."
            : `The name of the line. Leave empty for the ${any.toLowerCase()}.`
        }
        required={any === undefined}
        withAsterisk={false}
        autoComplete="off"
        maxLength={63}
        error={error}
      />
    );
  }
  const lines = data?.lines.filter(({ name, state }) => name !== except && state !== "archived");
  return (
    <NativeSelect
      name="line"
      label="Line"
      required={any === undefined}
      withAsterisk={false}
      data={[
        ...(any === undefined ? [] : [{ value: "", label: any }]),
        ...(lines ?? []).map((line) => {
          const { name, kind, state } = line;
          const to = addressKindOf(line);
          const isReached = contact?.addresses.some((address) => address.kind === to) ?? true;
          const notes = [
            kind,
            ...(state === "paused" ? ["paused"] : []),
            ...(isReached ? [] : [`the contact has no ${ADDRESSES[to]}`]),
          ];
          const isDisabled = !isReached || (state === "paused" && any === undefined);
          return { value: name, label: `${name} (${notes.join(", ")})`, disabled: isDisabled };
        }),
      ]}
      {...(any === undefined && {
        description:
          lines?.length === 0
            ? "The agent has no other line."
            : "Only active lines that can reach this contact can be chosen.",
      })}
      error={error}
    />
  );
}
