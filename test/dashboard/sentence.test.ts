import {
  ACTION_LABELS,
  changesInText,
  describeInText,
  type Entry,
} from "../../src/dashboard/audit-log/sentence";

const MEMBER = { actorKind: "member", actorId: "member", actorName: "a@example.com" } as const;
const OPERATOR = { actorKind: "operator", actorId: null, actorName: "command line" } as const;
const SELF = { targetId: "member", targetName: "a@example.com" };

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
    "Failed sign-in for a@example.com.",
  ],
  [
    { actorKind: "anonymous", actorId: null, ...SELF, action: "member_passkey_cloned" },
    "Possibly cloned passkey of a@example.com.",
  ],
  [{ ...MEMBER, ...SELF, action: "member_passkey_added" }, "a@example.com added a passkey."],
  [
    { actorKind: "agent", actorId: "key", actorName: "agk_dev_0", action: "api_key_refused", count: 7 },
    "Requests with inactive API key billing were rejected (7 in 1 min).",
  ],
  [
    { actorKind: "agent", actorId: "key", actorName: "agk_dev_0", action: "api_key_address_refused" },
    "A request from outside the allowed networks of API key billing was rejected.",
  ],
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

const ID = "0193a1b2-0000-7000-8000-000000000000";
const GRACE = { ref: "g-1", name: "Grace", erasedAt: null };

test.each<[Partial<Entry>, string]>([
  [
    { action: "conversation_handed_off", conversation: { address: "+41446681800", contact: GRACE } },
    "CLI handed off a conversation with Grace.",
  ],
  [
    { action: "conversation_moved", conversation: { address: "+41446681800", contact: null } },
    "CLI moved a conversation.",
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
  ];
  expect(changesInText({ changes, detail: null })).toBe(
    "expires at: 2026-01-02T03:04:05.678Z; permissions: config:manage → none",
  );
  expect(changesInText({ changes: [], detail: "grace of 90 s" })).toBe("grace of 90 s");
  expect(changesInText({ changes: [], detail: null })).toBeNull();
});
