// One file, because every sentence is built from the same tables of wordings.

import { nameOfPartner } from "../parts/contact-label";
import { AuditAction, type AuditLogQuery } from "./documents.generated";

/** An audit log entry, with the names of its conversation and contact if they were requested. */
export type Entry = AuditLogQuery["auditLog"]["nodes"][number];

/** Wording that cannot be derived from an action's name; `agent_created` yields "created the agent". */
interface Wording {
  /** Placed between actor and target. */
  verb?: string;
  /** Replaces verb and target if members act on themselves. */
  verbForSelf?: string;
  /** The field whose new value follows the target. */
  to?: string;
  /** The end of the sentence. */
  end?: string;
  /** True if the sentence omits the actor, who is unknown or did not perform the action. */
  isImpersonal?: true;
  /** Label in the action filter. */
  label?: string;
}

/** The parts of an entry that its wording may depend on. */
type Particulars = Pick<Entry, "changes" | "count">;

const WORDINGS: Readonly<Partial<Record<AuditAction, Wording | ((entry: Particulars) => Wording)>>> = {
  api_key_renamed: { to: "name" },
  api_key_refused: rejected("with the inactive API key", "Inactive key rejected"),
  api_key_address_refused: rejected(
    "from outside the allowed networks of the API key",
    "Key used from a network that is not allowed",
  ),
  api_key_updated: { verb: "changed the API key", label: "API key changed" },
  api_key_leaked: {
    verb: "The API key",
    end: "was revoked because it was reported as leaked",
    isImpersonal: true,
    label: "API key reported as leaked",
  },
  member_signed_in: { verb: "signed in as", verbForSelf: "signed in" },
  member_sign_in_failed: { verb: "A sign-in as", end: "failed", isImpersonal: true, label: "Sign-in failed" },
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
  member_sign_in_link_created: { verb: "created a sign-in link for", label: "Sign-in link created" },
  member_signed_out: { verb: "signed out", verbForSelf: "signed out" },
  member_signed_out_by_issuer: {
    verb: "The OpenID Connect issuer signed out",
    isImpersonal: true,
    // The derived label would omit "Member".
    label: "Member signed out by issuer",
  },
  member_signed_out_everywhere: {
    verb: "ended all sessions of",
    verbForSelf: "signed out on all devices",
    label: "Signed out on all devices",
  },
  member_password_changed: { verb: "changed the password of", verbForSelf: "changed their password" },
  member_password_removed: { verb: "removed the password of", verbForSelf: "removed their password" },
  member_password_change_failed: {
    verb: "failed to change the password of",
    verbForSelf: "failed to change their password",
  },
  member_created: { verb: "added the member", verbForSelf: "joined", label: "Member added" },
  member_permissions_changed: {
    verb: "changed the permissions of",
    verbForSelf: "changed their permissions",
  },
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
  member_identity_linked: {
    verb: "linked an OpenID Connect account to",
    // The derived label would omit "Member".
    label: "Member identity linked",
  },
  member_identity_unlinked: {
    verb: "unlinked the OpenID Connect account of",
    verbForSelf: "unlinked their OpenID Connect account",
    // The derived label would omit "Member".
    label: "Member identity unlinked",
  },
  member_session_ended: { verb: "ended a session of", verbForSelf: "ended one of their sessions" },
  member_passkey_added: { verb: "added a passkey for", verbForSelf: "added a passkey" },
  member_passkey_renamed: { verb: "renamed a passkey of", verbForSelf: "renamed a passkey" },
  member_passkey_removed: { verb: "removed a passkey of", verbForSelf: "removed a passkey" },
  member_passkey_required: {
    verb: "The correct password of",
    end: "was entered without a passkey",
    isImpersonal: true,
    label: "Password without a passkey",
  },
  member_passkey_rejected: {
    verb: "A sign-in with a passkey of",
    end: "was rejected",
    isImpersonal: true,
  },
  member_passkey_cloned: {
    verb: "A sign-in with a possibly cloned passkey of",
    end: "was rejected",
    isImpersonal: true,
    label: "Passkey possibly cloned",
  },
  invitation_created: { verb: "invited", label: "Member invited" },
  invitation_withdrawn: { verb: "withdrew the invitation for" },
  invitation_accepted: { verb: "accepted the invitation for", verbForSelf: "accepted an invitation" },
  configuration_published: ({ changes }) => {
    const [version, note] = [afterOf(changes, "version"), afterOf(changes, "note")];
    return {
      verb:
        version === "" ? "published a configuration for" : `published configuration version ${version} for`,
      end: note && `with the note “${note}”`,
    };
  },
  conversation_assigned: ({ changes }) => {
    const to = "assignee";
    return changes.length > 0 && afterOf(changes, to) === ""
      ? { verb: "unassigned a conversation" }
      : { verb: "assigned a conversation", to };
  },
  conversation_handed_off: { verb: "handed off a conversation" },
  conversation_moved: { verb: "moved a conversation" },
  conversation_released: { verb: "released a conversation" },
  contact_consent_set: { verb: "changed the consents of", label: "Consents changed" },
  contact_erased: { verb: "erased a contact" },
  message_approved: { verb: "approved a proposed message" },
  message_discarded: { verb: "discarded a proposed message" },
  messages_released: { verb: "released the imported messages of" },
  agent_created: { verb: "added the agent", label: "Agent added" },
  handoff_notices_changed: ({ changes }) => ({
    verb: "turned handoff e-mails for",
    end: afterOf(changes, "handoffNotices") || "on or off",
    label: "Handoff e-mails turned on or off",
  }),
  default_line_set: { verb: "made", end: "the default line" },
  line_secret_rotated: { verb: "rotated the signing secret of the line" },
  line_secrets_lost: {
    verb: "The line",
    end: "lost its secrets because the instance key was replaced",
    isImpersonal: true,
  },
  webhook_endpoint_secret_rotated: { verb: "rotated the signing secret of the webhook" },
  webhook_endpoint_secret_lost: {
    verb: "The webhook",
    end: "lost its signing secret because the instance key was replaced",
    isImpersonal: true,
  },
  webhook_redelivery_requested: { verb: "requested redelivery to" },
  database_restored: { verb: "The database of", end: "was restored from a backup", isImpersonal: true },
};

/** Returns the wording for rejected requests; their actor is the key itself. */
function rejected(which: string, label: string) {
  return ({ count }: Particulars): Wording => ({
    verb: `${count === 1 ? "A request" : "Requests"} ${which}`,
    end: count === 1 ? "was rejected" : "were rejected",
    isImpersonal: true,
    label,
  });
}

/** Returns the new value of a changed field; "" if none. */
const afterOf = (changes: Entry["changes"], field: string | undefined): string =>
  changes.find((change) => change.field === field)?.after ?? "";

/**
 * Returns the wording of an action, derived from its name (`<object>_<past participle>`) unless specified. The label of
 * a `member_…` action with more words omits "member": `member_name_changed` yields "Name changed".
 */
function wordingOf(action: AuditAction, entry: Particulars = { changes: [], count: 1 }) {
  const words = action.replace("api_key", "API_key").replace("webhook_endpoint", "webhook").split("_");
  const object = words.slice(0, -1).join(" ");
  const done = words.at(-1);
  const name = (words[0] === "member" && words.length > 2 ? words.slice(1) : words).join(" ");
  const wording = WORDINGS[action];
  return {
    verb: `${done} the ${object}`,
    label: name[0]?.toUpperCase() + name.slice(1),
    ...(typeof wording === "function" ? wording(entry) : wording),
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
  /** The end of the sentence, including the count for actions that are aggregated per minute. */
  after: string;
}

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

/** Labels that replace the actor's name, by kind of actor. */
const ACTORS: Readonly<Partial<Record<Entry["actorKind"], string>>> = {
  anonymous: "Unknown caller",
  operator: "CLI",
  system: "The gateway",
};

/** Actions recorded with the gateway as their actor if an agent's decision caused them. */
const DECIDED: readonly AuditAction[] = ["conversation_handed_off", "conversation_moved"];

/** Returns the start of an entry's sentence. */
function actorIn({ action, actorKind, actorName, conversation }: Entry): string {
  if (actorKind === "system" && DECIDED.includes(action))
    return conversation ? `Agent ${conversation.agent.slug}` : "An agent";
  return ACTORS[actorKind] ?? actorName;
}

export function describe(entry: Entry): Sentence {
  const { action, changes, count } = entry;
  const { verb, verbForSelf, isImpersonal, to, end = "" } = wordingOf(action, entry);
  const target = targetOf(entry);
  const rest = {
    to: afterOf(changes, to),
    after: [end, count === 1 ? "" : `(${count} in 1 min)`].filter((part) => part !== "").join(" "),
  };
  const who = isImpersonal ? "" : actorIn(entry);
  if (verbForSelf !== undefined && isSelf(entry)) return { who, verb: verbForSelf, target: "", ...rest };
  return { who, verb: entry.conversation && target !== "" ? `${verb} with` : verb, target, ...rest };
}

/** True if members act on themselves or on their own invitation; an invitation's name is its e-mail address. */
const isSelf = ({ actorKind, actorId, actorName, targetId, targetName }: Entry): boolean =>
  actorKind === "member" && (actorId === targetId || actorName === targetName);

/** Describes an entry in plain text. */
export function describeInText(entry: Entry): string {
  const { who, verb, target, to, after } = describe(entry);
  return `${[who, verb, target, to && `to ${to}`, after].filter((part) => part !== "").join(" ")}.`;
}

/** Returns an entry's changes, field by field; entries written by earlier versions store them as text. */
export const changesInText = ({ changes, detail }: Pick<Entry, "changes" | "detail">): string | null =>
  changes.map((change) => `${fieldName(change)}: ${valuesOf(change).join(" → ")}`).join("; ") || detail;

/** Returns a changed field's name in words. */
export const fieldName = ({ field }: Entry["changes"][number]): string =>
  field.replace(/Id$/, "").replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);

/** Returns the previous value, if the field had one, and the new value. */
export const valuesOf = ({ before, after }: Entry["changes"][number]): string[] =>
  before === null ? [String(after)] : [before, after ?? "none"];
