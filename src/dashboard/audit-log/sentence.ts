import type { AuditAction, AuditLogQuery } from "../api/documents.generated";

export type Entry = AuditLogQuery["auditLog"]["nodes"][number];

/** What was done, between who did it and what it was done to; and what the list of actions calls it. */
const ACTIONS: Readonly<Record<AuditAction, { verb: string; label: string }>> = {
  api_key_created: { verb: "created the API key", label: "API key created" },
  api_key_renamed: { verb: "renamed the API key", label: "API key renamed" },
  api_key_rotated: { verb: "rotated the API key", label: "API key rotated" },
  api_key_revoked: { verb: "revoked the API key", label: "API key revoked" },
  api_key_refused: { verb: "presented the dead API key", label: "Dead API key refused" },
  member_signed_in: { verb: "signed in", label: "Signed in" },
  member_sign_in_failed: { verb: "gave a wrong password for", label: "Sign-in failed" },
  member_signed_out: { verb: "signed out", label: "Signed out" },
  member_signed_out_everywhere: { verb: "signed out on all devices", label: "Signed out on all devices" },
  member_password_changed: { verb: "changed the password of", label: "Password changed" },
  member_password_change_failed: {
    verb: "gave a wrong current password to change the password of",
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

/** An entry in words: what stands out is who, and what it was done to. */
export interface Sentence {
  who: string;
  verb: string;
  /** "" where the actor did it to themselves and says so already. */
  whom: string;
  /** What it is called since, where it was renamed; "" where not. */
  to: string;
  /** How often, where that is counted. */
  after: string;
}

/** The detail of a key's new name, after the key's hint. */
const RENAMED = /^\S+, now (.+)$/s;

/** Tells an entry of the audit log as a sentence. */
export function tell({
  action,
  actorId,
  targetId,
  actorName,
  actorKind,
  targetName,
  detail,
  count,
}: Entry): Sentence {
  const { verb } = ACTIONS[action];
  const after = count === 1 ? "" : `${count} times within a minute`;
  const to = (action === "api_key_renamed" && RENAMED.exec(detail ?? "")?.[1]) || "";
  if (action === "api_key_refused") return { who: "Somebody", verb, whom: targetName, to, after };
  const who =
    actorKind === "anonymous" ? "Somebody" : actorKind === "operator" ? "The command line" : actorName;
  if (actorId !== targetId) return { who, verb, whom: targetName, to, after };
  return {
    who,
    verb: verb.endsWith(" of") ? verb.replace(/ the (\w+) of$/, " their $1") : verb,
    whom: "",
    to,
    after,
  };
}

/** The same as plain text. */
export function tellInText(entry: Entry): string {
  const { who, verb, whom, to, after } = tell(entry);
  return `${[who, verb, whom, to && `to ${to}`, after].filter((part) => part !== "").join(" ")}.`;
}
