import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { MembersDocument } from "./documents.generated";

/** Polling interval (ms); long because members rarely change. */
const POLL_INTERVAL_MS = 60_000;

/** Returns the organization's members, for pages that name or select one. */
export function useMembers() {
  const viewer = useViewer();
  const { data, isError } = usePolledQuery(MembersDocument, {}, { pollMs: POLL_INTERVAL_MS });
  const members = data?.members ?? [];
  const labelOf = (id: string | null, email: string): string => {
    const name = members.find((each) => each.id === id)?.name;
    return name == null ? email : `${name} (${email})`;
  };
  return {
    /** Members who may read conversations, as options, the signed-in member first. */
    readers: [
      { value: viewer.id, label: `You (${viewer.email})` },
      ...members
        .filter(({ id, permissions }) => id !== viewer.id && permissions.includes("conversations_read"))
        .map(({ id, email }) => ({ value: id, label: labelOf(id, email) })),
    ],
    /** Returns the name of the member with an ID or, without a name, the e-mail address; "Unassigned" for null. */
    nameOf: (id: string | null): string => {
      if (id === null) return "Unassigned";
      if (id === viewer.id) return "You";
      const member = members.find((each) => each.id === id);
      return member?.name ?? member?.email ?? (data || isError ? "A former member" : "…");
    },
    /** Returns the name of the member with an e-mail address; the address if there is no name. */
    nameOfEmail: (email: string): string => members.find((each) => each.email === email)?.name ?? email,
    /** Returns the e-mail address of a member, after the name if there is one, because names need not be unique. */
    labelOf,
  };
}
