import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { MembersDocument } from "./documents.generated";

/** Polling interval (ms); long because members rarely change. */
const POLL_INTERVAL_MS = 60_000;

/** The organization's members, for pages that name or select one. */
export function useMembers() {
  const viewer = useViewer();
  const { data, isError } = usePolledQuery(MembersDocument, {}, { pollMs: POLL_INTERVAL_MS });
  const others = data?.members.filter(({ id }) => id !== viewer.id) ?? [];
  return {
    /** Members who may read conversations, as options, the signed-in member first. */
    readers: [
      { value: viewer.id, label: `You (${viewer.email})` },
      ...others
        .filter(({ permissions }) => permissions.includes("conversations_read"))
        .map(({ id, email }) => ({ value: id, label: email })),
    ],
    /** The name for a member's ID; "Unassigned" for null. */
    nameOf: (id: string | null): string => {
      if (id === null) return "Unassigned";
      if (id === viewer.id) return "You";
      return others.find((each) => each.id === id)?.email ?? (data || isError ? "A former member" : "…");
    },
  };
}
