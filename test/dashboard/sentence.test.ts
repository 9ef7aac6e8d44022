import { AuditAction } from "../../src/dashboard/audit-log/documents.generated";
import {
  ACTION_LABELS,
  changesInText,
  describeInText,
  type Entry,
} from "../../src/dashboard/audit-log/sentence";

const MEMBER = { actorKind: "member", actorId: "member", actorName: "a@example.com" } as const;
const OPERATOR = { actorKind: "operator", actorId: null, actorName: "command line" } as const;
const SYSTEM = { actorKind: "system", actorId: null, actorName: "gateway" } as const;
const SELF = { targetId: "member", targetName: "a@example.com" };

const change = (field: string, after: string | null) => ({ field, before: "before", after });

const entry = (parts: Partial<Entry>) =>
  ({ targetId: "key", targetName: "billing", changes: [], detail: null, count: 1, ...parts }) as Entry;

test.each<[Partial<Entry>, string]>([
  [{ ...MEMBER, action: "api_key_created" }, "a@example.com created the API key billing."],
  [
    { ...OPERATOR, action: "api_key_renamed", changes: [{ field: "name", before: "billing", after: "crm" }] },
    "CLI renamed the API key billing to crm.",
  ],
  [{ ...MEMBER, ...SELF, action: "member_signed_in" }, "a@example.com signed in."],
  [{ ...MEMBER, ...SELF, action: "member_password_changed" }, "a@example.com changed their password."],
  [
    { ...MEMBER, ...SELF, action: "member_password_change_failed" },
    "a@example.com failed to change their password.",
  ],
  [{ ...OPERATOR, ...SELF, action: "member_password_changed" }, "CLI changed the password of a@example.com."],
  [
    { actorKind: "anonymous", actorId: null, ...SELF, action: "member_sign_in_failed" },
    "A sign-in as a@example.com failed.",
  ],
  [
    { actorKind: "anonymous", actorId: null, ...SELF, action: "member_passkey_cloned" },
    "A sign-in with a possibly cloned passkey of a@example.com was rejected.",
  ],
  [{ ...MEMBER, ...SELF, action: "member_passkey_added" }, "a@example.com added a passkey."],
  [
    { actorKind: "agent", actorId: "key", actorName: "agk_dev_0", action: "api_key_refused", count: 7 },
    "Requests with the inactive API key billing were rejected (7 in 1 min).",
  ],
  [
    { actorKind: "agent", actorId: "key", actorName: "agk_dev_0", action: "api_key_address_refused" },
    "A request from outside the allowed networks of the API key billing was rejected.",
  ],
  [
    { actorKind: "agent", actorId: "key", actorName: "agk_dev_0", action: "api_key_rotated" },
    "agk_dev_0 rotated the API key billing.",
  ],
  [
    { ...MEMBER, action: "invitation_accepted", targetName: MEMBER.actorName },
    "a@example.com accepted an invitation.",
  ],
  [
    {
      ...OPERATOR,
      action: "configuration_published",
      changes: [change("version", "3"), change("note", "More")],
    },
    "CLI published configuration version 3 for billing with the note “More”.",
  ],
  [
    {
      ...OPERATOR,
      action: "conversation_assigned",
      targetId: "",
      targetName: "",
      changes: [change("assignee", "b@x")],
    },
    "CLI assigned a conversation to b@x.",
  ],
  [
    {
      ...OPERATOR,
      action: "conversation_assigned",
      targetId: "",
      targetName: "",
      changes: [change("assignee", null)],
    },
    "CLI unassigned a conversation.",
  ],
  [
    { ...OPERATOR, action: "handoff_notices_changed", changes: [change("handoffNotices", "off")] },
    "CLI turned handoff e-mails for billing off.",
  ],
  [{ ...SYSTEM, action: "line_paused" }, "The gateway paused the line billing."],
])("%j is a sentence", (parts, sentence) => {
  expect(describeInText(entry(parts))).toBe(sentence);
});

test.each([
  ["api_key_rotated", "API key rotated", "CLI rotated the API key billing."],
  ["organization_deactivated", "Organization deactivated", "CLI deactivated the organization billing."],
  ["agent_created", "Agent added", "CLI added the agent billing."],
] as const)("%s has a label and a sentence, derived from its name by default", (action, label, sentence) => {
  expect(ACTION_LABELS).toContainEqual({ value: action, label });
  expect(describeInText(entry({ ...OPERATOR, action }))).toBe(sentence);
});

/** The form of a sentence that may be derived from an action's name. */
const DERIVED = new RegExp(
  [
    "^CLI (created|renamed|deleted|updated|rotated|revoked|paused|resumed|archived|tested|enabled|disabled",
    "|deactivated|reactivated) the (agent|API key|line|organization|webhook) T\\.$",
  ].join(""),
);

/** The sentences of the other actions; a new action needs one here unless its name makes a good sentence. */
const SENTENCES: Partial<Record<AuditAction, string>> = {
  agent_created: "CLI added the agent T.",
  api_key_address_refused: "A request from outside the allowed networks of the API key T was rejected.",
  api_key_leaked: "The API key T was revoked because it was reported as leaked.",
  api_key_refused: "A request with the inactive API key T was rejected.",
  api_key_updated: "CLI changed the API key T.",
  configuration_published: "CLI published a configuration for T.",
  contact_consent_set: "CLI changed the consents of a contact.",
  contact_erased: "CLI erased a contact T.",
  conversation_assigned: "CLI assigned a conversation T.",
  conversation_handed_off: "CLI handed off a conversation T.",
  conversation_moved: "CLI moved a conversation T.",
  conversation_released: "CLI released a conversation T.",
  database_restored: "The database of T was restored from a backup.",
  default_line_set: "CLI made T the default line.",
  handoff_notices_changed: "CLI turned handoff e-mails for T on or off.",
  invitation_accepted: "CLI accepted the invitation for T.",
  invitation_created: "CLI invited T.",
  invitation_withdrawn: "CLI withdrew the invitation for T.",
  line_secret_rotated: "CLI rotated the signing secret of the line T.",
  line_secrets_lost: "The line T lost its secrets because the instance key was replaced.",
  member_created: "CLI added the member T.",
  member_email_change_failed: "CLI failed to change the e-mail of T.",
  member_email_changed: "CLI changed the e-mail of T.",
  member_identity_linked: "CLI linked an OpenID Connect account to T.",
  member_identity_unlinked: "CLI unlinked the OpenID Connect account of T.",
  member_name_changed: "CLI changed the name of T.",
  member_passkey_added: "CLI added a passkey for T.",
  member_passkey_cloned: "A sign-in with a possibly cloned passkey of T was rejected.",
  member_passkey_rejected: "A sign-in with a passkey of T was rejected.",
  member_passkey_removed: "CLI removed a passkey of T.",
  member_passkey_renamed: "CLI renamed a passkey of T.",
  member_passkey_required: "The correct password of T was entered without a passkey.",
  member_password_change_failed: "CLI failed to change the password of T.",
  member_password_changed: "CLI changed the password of T.",
  member_password_removed: "CLI removed the password of T.",
  member_permissions_changed: "CLI changed the permissions of T.",
  member_removed: "CLI removed the member T.",
  member_session_ended: "CLI ended a session of T.",
  member_sign_in_confirmation_failed: "CLI failed to confirm the sign-in of T.",
  member_sign_in_confirmed: "CLI confirmed the sign-in of T.",
  member_sign_in_failed: "A sign-in as T failed.",
  member_sign_in_link_created: "CLI created a sign-in link for T.",
  member_signed_in: "CLI signed in as T.",
  member_signed_out: "CLI signed out T.",
  member_signed_out_by_issuer: "The OpenID Connect issuer signed out T.",
  member_signed_out_everywhere: "CLI ended all sessions of T.",
  message_approved: "CLI approved a proposed message T.",
  message_discarded: "CLI discarded a proposed message T.",
  messages_released: "CLI released the imported messages of T.",
  webhook_endpoint_secret_lost:
    "The webhook T lost its signing secret because the instance key was replaced.",
  webhook_endpoint_secret_rotated: "CLI rotated the signing secret of the webhook T.",
  webhook_redelivery_requested: "CLI requested redelivery to T.",
};

test.each(Object.values(AuditAction))("%s has a sentence of a known form", (action) => {
  const expected = SENTENCES[action] ?? expect.stringMatching(DERIVED);
  expect(describeInText(entry({ ...OPERATOR, action, targetName: "T" }))).toEqual(expected);
});

const ID = "0193a1b2-0000-7000-8000-000000000000";
const GRACE = { ref: "g-1", name: "Grace", erasedAt: null };
const CONVERSATION = { address: "+41446681800", agent: { slug: "order-desk" }, contact: GRACE };

test.each<[Partial<Entry>, string]>([
  [
    { action: "conversation_handed_off", conversation: CONVERSATION },
    "CLI handed off a conversation with Grace.",
  ],
  [
    { action: "conversation_moved", conversation: { ...CONVERSATION, contact: null } },
    "CLI moved a conversation.",
  ],
  [
    { ...SYSTEM, action: "conversation_handed_off", conversation: CONVERSATION },
    "Agent order-desk handed off a conversation with Grace.",
  ],
  [{ ...SYSTEM, action: "conversation_moved" }, "An agent moved a conversation."],
  [
    { ...SYSTEM, action: "conversation_released", conversation: CONVERSATION },
    "The gateway released a conversation with Grace.",
  ],
  [{ action: "conversation_released" }, "CLI released a conversation."],
  [{ action: "contact_consent_set", contact: GRACE }, "CLI changed the consents of Grace."],
  [{ action: "contact_consent_set" }, "CLI changed the consents of a contact."],
  [{ action: "contact_erased" }, "CLI erased a contact."],
  [{ action: "message_approved" }, "CLI approved a proposed message."],
])("%j is recorded by ID, and named as far as it is known", (parts, sentence) => {
  expect(describeInText(entry({ ...OPERATOR, targetId: ID, targetName: ID, ...parts }))).toBe(sentence);
});

test("changes are listed by field, and the text from earlier versions is kept", () => {
  const changes = [
    { field: "expiresAt", before: null, after: "2026-01-02T03:04:05.678Z" },
    { field: "permissions", before: "config:manage", after: null },
    { field: "replacedById", before: null, after: "new-key" },
  ];
  expect(changesInText({ changes, detail: null })).toBe(
    "expires at: 2026-01-02T03:04:05.678Z; permissions: config:manage → none; replaced by: new-key",
  );
  expect(changesInText({ changes: [], detail: "grace of 90 s" })).toBe("grace of 90 s");
  expect(changesInText({ changes: [], detail: null })).toBeNull();
});
