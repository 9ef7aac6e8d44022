import type { AuditAction, AuditLogQuery } from "../api/documents.generated";

export type Entry = AuditLogQuery["auditLog"]["nodes"][number];

/** The verb between actor and target, and the label in the filter. */
const ACTIONS: Readonly<Record<AuditAction, { verb: string; label: string }>> = {
  api_key_created: { verb: "created the API key", label: "API key created" },
  api_key_renamed: { verb: "renamed the API key", label: "API key renamed" },
  api_key_rotated: { verb: "rotated the API key", label: "API key rotated" },
  api_key_revoked: { verb: "revoked the API key", label: "API key revoked" },
  api_key_refused: { verb: "with inactive API key", label: "Inactive key rejected" },
  member_signed_in: { verb: "signed in", label: "Signed in" },
  member_sign_in_failed: { verb: "Failed sign-in for", label: "Sign-in failed" },
  member_signed_out: { verb: "signed out", label: "Signed out" },
  member_signed_out_everywhere: { verb: "signed out on all devices", label: "Signed out on all devices" },
  member_password_changed: { verb: "changed the password of", label: "Password changed" },
  member_password_change_failed: {
    verb: "failed to change the password of",
    label: "Password change failed",
  },
  member_created: { verb: "added the member", label: "Member added" },
  member_permissions_changed: { verb: "changed the permissions of", label: "Permissions changed" },
  agent_created: { verb: "added the agent", label: "Agent added" },
  organization_created: { verb: "created the organization", label: "Organization created" },
  organization_deactivated: { verb: "deactivated the organization", label: "Organization deactivated" },
  organization_reactivated: { verb: "reactivated the organization", label: "Organization reactivated" },
};

/** The options of the action filter. */
export const ACTION_LABELS = Object.entries(ACTIONS).map(([value, { label }]) => ({
  value: value as AuditAction,
  label,
}));

/** An entry in words. Actor and targets stand out on the page. */
export interface Sentence {
  /** "" where the sentence starts with the verb. */
  who: string;
  verb: string;
  /** "" where actor and target are the same. */
  whom: string;
  /** The new name, where the target was renamed; otherwise "". */
  to: string;
  /** The end of the sentence, with the count of entries that are counted per minute. */
  after: string;
}

/** The detail of a renamed key: its prefix, then its new name. */
const RENAMED = /^\S+, now (.+)$/s;

/** Describes an entry of the audit log in a sentence. */
export function describe({
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
  const after = count === 1 ? "" : `(${count} in 1 min)`;
  const to = (action === "api_key_renamed" && RENAMED.exec(detail ?? "")?.[1]) || "";
  if (action === "api_key_refused") {
    return count === 1
      ? { who: "", verb: `A request ${verb}`, whom: targetName, to, after: "was rejected" }
      : { who: "", verb: `Requests ${verb}`, whom: targetName, to, after: `were rejected ${after}` };
  }
  if (action === "member_sign_in_failed") return { who: "", verb, whom: targetName, to, after };
  const who = actorKind === "anonymous" ? "Unknown caller" : actorKind === "operator" ? "CLI" : actorName;
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
export function describeInText(entry: Entry): string {
  const { who, verb, whom, to, after } = describe(entry);
  return `${[who, verb, whom, to && `to ${to}`, after].filter((part) => part !== "").join(" ")}.`;
}
