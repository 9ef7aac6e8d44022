import type { AuditAction, AuditLogQuery } from "../api/documents.generated";

export type Entry = AuditLogQuery["auditLog"]["nodes"][number];

interface Action {
  /** Stands between the actor and the affected resource. */
  verb: string;
  /** Stands after the actor where members affect themselves; `verb` if left out. */
  verbForSelf?: string;
  /** The field whose new value ends the sentence. */
  to?: string;
  /** What the filter by action calls it. */
  label: string;
}

const ACTIONS: Readonly<Record<AuditAction, Action>> = {
  api_key_created: { verb: "created the API key", label: "API key created" },
  api_key_renamed: { verb: "renamed the API key", to: "name", label: "API key renamed" },
  api_key_rotated: { verb: "rotated the API key", label: "API key rotated" },
  api_key_revoked: { verb: "revoked the API key", label: "API key revoked" },
  api_key_refused: { verb: "presented the dead API key", label: "Dead API key refused" },
  member_signed_in: { verb: "signed in", label: "Signed in" },
  member_sign_in_failed: { verb: "gave a wrong password for", label: "Sign-in failed" },
  member_signed_out: { verb: "signed out", label: "Signed out" },
  member_signed_out_everywhere: { verb: "signed out on all devices", label: "Signed out on all devices" },
  member_password_changed: {
    verb: "changed the password of",
    verbForSelf: "changed their password",
    label: "Password changed",
  },
  member_password_change_failed: {
    verb: "gave a wrong current password to change the password of",
    verbForSelf: "gave a wrong current password to change their password",
    label: "Password change failed",
  },
  member_created: { verb: "added the member", label: "Member added" },
  member_permissions_changed: { verb: "changed the permissions of", label: "Permissions changed" },
  agent_created: { verb: "added the agent", label: "Agent added" },
  organization_created: { verb: "created the organization", label: "Organization created" },
  organization_deactivated: { verb: "deactivated the organization", label: "Organization deactivated" },
  organization_reactivated: { verb: "reactivated the organization", label: "Organization reactivated" },
};

/** The actions as a filter offers them. */
export const ACTION_LABELS = Object.entries(ACTIONS).map(([value, { label }]) => ({
  value: value as AuditAction,
  label,
}));

/** The parts of an entry's sentence: the actor and the affected resource stand out. */
export interface Sentence {
  who: string;
  verb: string;
  /** "" where members affect themselves. */
  whom: string;
  /** The new value of the field that the action changes; "" without one. */
  to: string;
  /** How often, where that is counted. */
  after: string;
}

/** An entry of the audit log as a sentence. */
export function tell({ action, actorId, targetId, actorName, actorKind, ...entry }: Entry): Sentence {
  const { verb, verbForSelf = verb, to: field } = ACTIONS[action];
  const to = entry.changes.find((change) => change.field === field)?.after ?? "";
  const after = entry.count === 1 ? "" : `${entry.count} times within a minute`;
  // The key did not present itself.
  const isRefusal = action === "api_key_refused";
  if (actorId === targetId && !isRefusal) return { who: actorName, verb: verbForSelf, whom: "", to, after };
  const who =
    isRefusal || actorKind === "anonymous"
      ? "Somebody"
      : actorKind === "operator"
        ? "The command line"
        : actorName;
  return { who, verb, whom: entry.targetName, to, after };
}

/** The same as plain text. */
export function tellInText(entry: Entry): string {
  const { who, verb, whom, to, after } = tell(entry);
  return `${[who, verb, whom, to && `to ${to}`, after].filter((part) => part !== "").join(" ")}.`;
}

/** What an action changed, field by field; entries of earlier versions have it as text. */
export const changesInText = ({ changes, detail }: Pick<Entry, "changes" | "detail">): string | null =>
  changes.map(changeInText).join("; ") || detail;

const changeInText = ({ field, before, after }: Entry["changes"][number]): string => {
  const name = field.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return before === null ? `${name}: ${after}` : `${name}: ${before} → ${after ?? "none"}`;
};
