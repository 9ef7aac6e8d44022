import { usePolledQuery } from "../api/client";
import { labelOfContact } from "./contact-label";
import { ContactNamesDocument } from "./documents.generated";

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
    { enabled: distinct.length > 0, pollMs: 60_000 },
  );
  const loaded = data !== undefined && !isPlaceholderData;
  return (id) => {
    if (id === null) return "–";
    const contact = data?.contacts.nodes.find((each) => each.id === id);
    if (contact !== undefined) return labelOfContact(contact);
    return loaded && !isError ? "Erased contact" : "…";
  };
}
