import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import { usePolledQuery } from "../api/client";
import { Failure } from "../ui/failure";
import { type AddressKind, ContactAddressKindsDocument, LineChoicesDocument } from "./documents.generated";

/** Address kinds, worded for use in a sentence. */
const ADDRESSES: Readonly<Record<AddressKind, string>> = {
  email: "e-mail address",
  phone: "phone number",
  local: "address on this server",
  other: "address in another system",
};

/**
 * The field for a line's name.
 * @param any the label for "no line"; if omitted, the user must choose a line, and it must not be paused
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
  const { data, error: failure } = usePolledQuery(LineChoicesDocument, { agentId }, { pollMs: 60_000 });
  const contact = usePolledQuery(
    ContactAddressKindsDocument,
    { id: contactId ?? "" },
    { enabled: contactId !== undefined, pollMs: 60_000 },
  ).data?.contact;
  if (data === undefined && failure !== null) return <Failure error={failure} />;
  const lines = data?.lineChoices.filter(({ name, state }) => name !== except && state !== "archived");
  return (
    <NativeSelect
      name="line"
      label="Line"
      required={any === undefined}
      withAsterisk={false}
      data={[
        ...(any === undefined ? [] : [{ value: "", label: any }]),
        ...(lines ?? []).map(({ name, kind, addressKind: to, state }) => {
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
