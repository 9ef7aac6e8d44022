import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { isolated } from "../ui/isolated";
import { MembersDocument } from "./documents.generated";

/** The API's actor name for actions on the server's command line. */
const COMMAND_LINE = "command line";

export type Names = ReturnType<typeof useMembers>;

/** Returns the organization's members, for pages that name or select one; lists call it once for all rows. */
export function useMembers() {
  const viewer = useViewer();
  const { data, isError } = usePolledQuery(MembersDocument, {}, { pollMs: 60_000 });
  const members = data?.members ?? [];
  const labelOf = (id: string | null, email: string): string => {
    const name = members.find((each) => each.id === id)?.name;
    return name == null ? email : `${isolated(name)} (${email})`;
  };
  return {
    /** All members, as options. */
    everyone: members.map(({ id, email }) => ({ value: id, label: labelOf(id, email) })),
    /** Members who may read conversations, as options, the signed-in member first. */
    readers: [
      { value: viewer.id, label: `You (${viewer.email})` },
      ...members
        .filter(({ id, permissions }) => id !== viewer.id && permissions.includes("conversations_read"))
        .map(({ id, email }) => ({ value: id, label: labelOf(id, email) })),
    ],
    /** Returns a member's name or, without one, the e-mail address; "You" for the viewer, "Unassigned" for null. */
    nameOf: (id: string | null): string => {
      if (id === null) return "Unassigned";
      if (id === viewer.id) return "You";
      const member = members.find((each) => each.id === id);
      return member?.name ?? member?.email ?? (data || isError ? "A former member" : "…");
    },
    /** Returns the display name of an actor; the API identifies members by their e-mail addresses. */
    nameOfActor: (actor: string): string =>
      actor === COMMAND_LINE ? "CLI" : (members.find(({ email }) => email === actor)?.name ?? actor),
    /** Returns a member's e-mail address, preceded by their name if they have one. The name alone may not be unique. */
    labelOf,
  };
}
