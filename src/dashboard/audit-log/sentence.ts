import { nameOfPartner } from "../contacts/contact-label";
import { AuditAction, type AuditLogQuery } from "./documents.generated";

/** An audit log entry, with the names of its conversation and contact if they were requested. */
export type Entry = AuditLogQuery["auditLog"]["nodes"][number];

/** Wording that cannot be derived from an action's name; `agent_created` yields "created the agent". */
interface Wording {
  /** Placed between actor and target. */
  verb?: string;
  /** Replaces `verb` if members act on themselves. */
  verbForSelf?: string;
  /** The field whose new value ends the sentence. */
  to?: string;
  /** Label in the action filter. */
  label?: string;
}

const WORDINGS: Readonly<Partial<Record<AuditAction, Wording>>> = {
  api_key_renamed: { to: "name" },
  api_key_refused: { verb: "with inactive API key", label: "Inactive key rejected" },
  api_key_address_refused: {
    verb: "from outside the allowed networks of API key",
    label: "Key used from a network that is not allowed",
  },
  api_key_updated: { verb: "changed the API key", label: "API key changed" },
  member_signed_in: { verb: "signed in" },
  member_sign_in_failed: { verb: "Failed sign-in for", label: "Sign-in failed" },
  member_sign_in_confirmed: {
    verb: "confirmed the sign-in of",
    verbForSelf: "confirmed the sign-in",
    label: "Sign-in confirmed",
  },
  member_sign_in_confirmation_failed: {
    verb: "failed to confirm the sign-in of",
    verbForSelf: "failed to confirm the sign-in",
    label: "Sign-in confirmation failed",
  },
  // Keeps "Member" in the label.
  member_sign_in_link_created: { label: "Member sign in link created" },
  member_signed_out: { verb: "signed out" },
  // Keeps "Member" in the label.
  member_signed_out_by_issuer: { label: "Member signed out by issuer" },
  member_signed_out_everywhere: { verb: "signed out on all devices", label: "Signed out on all devices" },
  member_password_changed: { verb: "changed the password of", verbForSelf: "changed their password" },
  member_password_removed: { verb: "removed the password of", verbForSelf: "removed their password" },
  member_password_change_failed: {
    verb: "failed to change the password of",
    verbForSelf: "failed to change their password",
  },
  member_created: { verb: "added the member", verbForSelf: "joined", label: "Member added" },
  member_permissions_changed: { verb: "changed the permissions of" },
  agent_renamed: { to: "name" },
  organization_renamed: { to: "name" },
  member_email_changed: {
    verb: "changed the e-mail of",
    verbForSelf: "changed their e-mail",
    to: "email",
    label: "E-mail changed",
  },
  member_name_changed: { verb: "changed the name of", verbForSelf: "changed their name", to: "name" },
  member_email_change_failed: {
    verb: "failed to change the e-mail of",
    verbForSelf: "failed to change their e-mail",
    label: "E-mail change failed",
  },
  member_removed: { verb: "removed the member", verbForSelf: "left" },
  // Both keep "Member" in the label.
  member_identity_linked: { label: "Member identity linked" },
  member_identity_unlinked: { label: "Member identity unlinked" },
  member_session_ended: { verb: "ended a session of", verbForSelf: "ended one of their sessions" },
  member_passkey_added: { verb: "added a passkey for", verbForSelf: "added a passkey" },
  member_passkey_renamed: { verb: "renamed a passkey of", verbForSelf: "renamed a passkey" },
  member_passkey_removed: { verb: "removed a passkey of", verbForSelf: "removed a passkey" },
  member_passkey_required: {
    verb: "Correct password without a passkey for",
    label: "Password without a passkey",
  },
  member_passkey_rejected: { verb: "Rejected passkey of" },
  member_passkey_cloned: { verb: "Possibly cloned passkey of", label: "Passkey possibly cloned" },
  invitation_created: { verb: "invited", label: "Member invited" },
  invitation_withdrawn: { verb: "withdrew the invitation for" },
  invitation_accepted: { verb: "accepted the invitation for", verbForSelf: "accepted an invitation" },
  conversation_assigned: { verb: "assigned a conversation" },
  conversation_handed_off: { verb: "handed off a conversation" },
  conversation_moved: { verb: "moved a conversation" },
  conversation_released: { verb: "released a conversation" },
  contact_consent_set: { verb: "changed the consents of", label: "Consents changed" },
  contact_erased: { verb: "erased a contact" },
  message_approved: { verb: "approved a proposed message" },
  message_discarded: { verb: "discarded a proposed message" },
  messages_released: { verb: "released the imported messages of" },
  agent_created: { verb: "added the agent", label: "Agent added" },
};

/**
 * Returns the wording of an action, derived from its name (`<object>_<past participle>`) unless specified. The label of
 * a `member_…` action with more words omits "member": `member_name_changed` yields "Name changed".
 */
function wordingOf(action: AuditAction) {
  const words = action.replace("api_key", "API_key").split("_");
  const object = words.slice(0, -1).join(" ");
  const done = words.at(-1);
  const name = (words[0] === "member" && words.length > 2 ? words.slice(1) : words).join(" ");
  return {
    verb: `${done} the ${object}`,
    label: name[0]?.toUpperCase() + name.slice(1),
    ...WORDINGS[action],
  };
}

/** The options of the action filter. */
export const ACTION_LABELS = Object.values(AuditAction).map((value) => ({
  value,
  label: wordingOf(value).label,
}));

/** The parts of an entry's sentence, kept separate because the page emphasizes actor and target. */
export interface Sentence {
  /** "" if the sentence starts with the verb. */
  who: string;
  verb: string;
  /** "" if actor and target are the same. */
  target: string;
  /** The new value of the changed field; "" if none. */
  to: string;
  /** The end of the sentence, such as the count for actions that are aggregated per minute. */
  after: string;
}

/** Rejected attempts; their actor is unknown. */
const REJECTED_SIGN_INS: readonly AuditAction[] = [
  "member_sign_in_failed",
  "member_passkey_required",
  "member_passkey_rejected",
  "member_passkey_cloned",
];

/**
 * Returns the name of the target; "" if the verb names it. Contacts, conversations and messages are recorded by ID,
 * because the audit log outlives their names.
 */
export function targetOf({ action, targetId, targetName, conversation, contact }: Entry): string {
  if (conversation?.contact?.erasedAt === null) return nameOfPartner(conversation);
  if (contact && contact.erasedAt === null) return nameOfPartner({ contact, address: null });
  if (action === "contact_consent_set") return "a contact";
  return targetName === targetId ? "" : targetName;
}

export function describe(entry: Entry): Sentence {
  const { action, actorId, targetId, actorName, actorKind, count } = entry;
  const wording = wordingOf(action);
  const target = targetOf(entry);
  const verb = entry.conversation && target !== "" ? `${wording.verb} with` : wording.verb;
  const { verbForSelf = verb, to: field } = wording;
  const after = count === 1 ? "" : `(${count} in 1 min)`;
  const to = entry.changes.find((change) => change.field === field)?.after ?? "";
  if (action === "api_key_refused" || action === "api_key_address_refused") {
    return count === 1
      ? { who: "", verb: `A request ${verb}`, target, to, after: "was rejected" }
      : { who: "", verb: `Requests ${verb}`, target, to, after: `were rejected ${after}` };
  }
  if (REJECTED_SIGN_INS.includes(action)) return { who: "", verb, target, to, after };
  const who = actorKind === "anonymous" ? "Unknown caller" : actorKind === "operator" ? "CLI" : actorName;
  return actorId === targetId
    ? { who, verb: verbForSelf, target: "", to, after }
    : { who, verb, target, to, after };
}

/** Describes an entry in plain text. */
export function describeInText(entry: Entry): string {
  const { who, verb, target, to, after } = describe(entry);
  return `${[who, verb, target, to && `to ${to}`, after].filter((part) => part !== "").join(" ")}.`;
}

/** Returns an entry's changes, field by field; entries written by earlier versions store them as text. */
export const changesInText = ({ changes, detail }: Pick<Entry, "changes" | "detail">): string | null =>
  changes.map(changeInText).join("; ") || detail;

const changeInText = ({ field, before, after }: Entry["changes"][number]): string => {
  const name = field.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return before === null ? `${name}: ${after}` : `${name}: ${before} → ${after ?? "none"}`;
};
