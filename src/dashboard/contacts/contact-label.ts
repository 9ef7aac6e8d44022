import { usePolledQuery } from "../api/client";
import { ContactNamesDocument } from "./documents.generated";

/** Polling interval for displayed names (ms). */
const NAMES_POLL_MS = 60_000;

interface Labeled {
  ref: string | null;
  name: string | null;
  addresses: readonly { address: string }[];
}

/** Returns a contact's label: its name or, without a name, its key. */
export const labelOfContact = ({ name, ref, addresses }: Labeled): string =>
  name ?? ref ?? addresses[0]?.address ?? "Unnamed contact";

/** Returns the label of a contact that may have been erased. */
export const nameOfContact = (contact: (Labeled & { erasedAt: string | null }) | null): string =>
  contact === null || contact.erasedAt !== null ? "Erased contact" : labelOfContact(contact);

/** Returns the label of a conversation's contact. */
export const nameOfPartner = ({ contact, address }: Partner): string =>
  nameOfContact(contact && { ...contact, addresses: address === null ? [] : [{ address }] });

/** The contact of a conversation, and its address there. */
export interface Partner {
  contact: { ref: string | null; name: string | null; erasedAt: string | null } | null;
  address: string | null;
}

/**
 * Returns the names of an agent's contacts, for lists that refer to them.
 * @param ids IDs of at most 100 contacts; null is ignored
 * @returns a function that returns the name for an ID
 */
export function useContactNames(
  agentId: string,
  ids: readonly (string | null)[],
): (id: string | null) => string {
  const distinct = [...new Set(ids.filter((id) => id !== null))].sort();
  const { data, isPlaceholderData, isError } = usePolledQuery(
    ContactNamesDocument,
    { agentId, ids: distinct },
    { enabled: distinct.length > 0, pollMs: NAMES_POLL_MS },
  );
  const loaded = data !== undefined && !isPlaceholderData;
  return (id) => {
    if (id === null) return "–";
    const contact = data?.contacts.nodes.find((each) => each.id === id);
    if (contact !== undefined) return labelOfContact(contact);
    return loaded && !isError ? "Erased contact" : "…";
  };
}
