import { type AccessRule, authorize, isAllowed } from "../../src/auth/authorize";
import type { Caller } from "../../src/auth/caller";
import { type OrganizationScope, Permission, type Scope } from "../../src/auth/permissions";
import { timestamp } from "../../src/common/time";
import type { GatewayError } from "../../src/errors";

const NOW = "2026-01-01T00:00:00.000Z";
const organization = { id: "o", slug: "o", name: "O", createdAt: NOW, deactivatedAt: null };
const key = {
  id: "k",
  name: "k",
  hint: "k",
  createdAt: NOW,
  rateLimitPerMinute: null,
  allowedNetworks: null,
};
const agentKey = (...scopes: Scope[]): Caller => ({
  kind: "agent",
  key: { ...key, scopes },
  agent: { id: "a", slug: "a", name: "A" },
  organization,
});
const organizationKey = (...scopes: OrganizationScope[]): Caller => ({
  kind: "organizationKey",
  key: { ...key, scopes },
  organization,
});
const member = (permissions: Permission[], deactivatedAt: string | null = null): Caller => ({
  kind: "member",
  id: "m",
  email: "m@example.com",
  permissions,
  sessionId: "s",
  signedInAt: timestamp(),
  organization: { ...organization, deactivatedAt },
});

const CALLERS = {
  anonymous: { kind: "anonymous" },
  "an ended session": { kind: "anonymous", sessionEnded: true },
  "a key with every scope": agentKey("pets:read", "pets:write", "contacts:write"),
  "a key with only pets:read": agentKey("pets:read"),
  "a key with only contacts:write": agentKey("contacts:write"),
  "an organization key with every scope": organizationKey("audit:read", "members:read"),
  "an organization key with only audit:read": organizationKey("audit:read"),
  "a member without permission": member([]),
  "a member with config:manage": member([Permission.config_manage]),
  "a member with conversations:write": member([Permission.conversations_write]),
  "the same, deactivated": member([Permission.conversations_write], NOW),
  "the command line": { kind: "operator", organization },
} as const satisfies Record<string, Caller>;

type Outcomes = Record<keyof typeof CALLERS, string>;

const KEYS_REJECTED = {
  "a key with every scope": "forbidden",
  "a key with only pets:read": "forbidden",
  "a key with only contacts:write": "forbidden",
};
const ORGANIZATION_KEYS_REJECTED = {
  "an organization key with every scope": "forbidden",
  "an organization key with only audit:read": "forbidden",
};
const MEMBERS_REJECTED = {
  "a member without permission": "forbidden",
  "a member with config:manage": "forbidden",
  "a member with conversations:write": "forbidden",
  "the same, deactivated": "forbidden",
  "the command line": "forbidden",
};
const NO_CREDENTIALS = {
  anonymous: "unauthenticated",
  "an ended session": "invalid_session",
  ...ORGANIZATION_KEYS_REJECTED,
};
const NEEDS_SCOPE = {
  "a key with every scope": "ok",
  "a key with only pets:read": "insufficient_scope",
  "a key with only contacts:write": "ok",
};
const NEEDS_PERMISSION = {
  "a member without permission": "forbidden",
  "a member with config:manage": "forbidden",
  "a member with conversations:write": "ok",
  "the same, deactivated": "organization_deactivated",
  "the command line": "ok",
};
const everyOk = (outcomes: object) => Object.fromEntries(Object.keys(outcomes).map((name) => [name, "ok"]));

const both = { key: "contacts:write", member: Permission.conversations_write } as const;

const RULES: [string, AccessRule["allowed"], Partial<AccessRule>, object][] = [
  ["anyone", "anyone", {}, everyOk(CALLERS)],
  ["any key", { key: true }, {}, { ...NO_CREDENTIALS, ...everyOk(KEYS_REJECTED), ...MEMBERS_REJECTED }],
  [
    "keys with a scope",
    { key: "contacts:write" },
    {},
    { ...NO_CREDENTIALS, ...NEEDS_SCOPE, ...MEMBERS_REJECTED },
  ],
  [
    "any member",
    { member: true },
    {},
    {
      ...NO_CREDENTIALS,
      ...KEYS_REJECTED,
      ...everyOk(NEEDS_PERMISSION),
      "the same, deactivated": "organization_deactivated",
    },
  ],
  [
    "members with a permission",
    { member: Permission.conversations_write },
    {},
    { ...NO_CREDENTIALS, ...KEYS_REJECTED, ...NEEDS_PERMISSION },
  ],
  [
    "organization keys with a scope, and members",
    { organizationKey: "members:read", member: true },
    {},
    {
      ...NO_CREDENTIALS,
      ...KEYS_REJECTED,
      ...everyOk(NEEDS_PERMISSION),
      "the same, deactivated": "organization_deactivated",
      "an organization key with every scope": "ok",
      "an organization key with only audit:read": "insufficient_scope",
    },
  ],
  [
    "any organization key",
    { organizationKey: true },
    {},
    {
      ...NO_CREDENTIALS,
      ...KEYS_REJECTED,
      ...MEMBERS_REJECTED,
      ...everyOk(ORGANIZATION_KEYS_REJECTED),
    },
  ],
  ["keys and members", both, {}, { ...NO_CREDENTIALS, ...NEEDS_SCOPE, ...NEEDS_PERMISSION }],
  [
    "keys and members, even while deactivated",
    both,
    { whileDeactivated: true },
    { ...NO_CREDENTIALS, ...NEEDS_SCOPE, ...NEEDS_PERMISSION, "the same, deactivated": "ok" },
  ],
];

test.each(RULES)("a change for %s admits only them, and tells the others why", (...args) => {
  const [, allowed, more, outcomes] = args;
  const rule = { allowed, whileDeactivated: false, ...more };
  const got = Object.fromEntries(
    Object.entries(CALLERS).map(([name, caller]) => {
      try {
        authorize(caller, rule, true);
        expect(isAllowed(caller, rule, true)).toBe(true);
        return [name, "ok"];
      } catch (error) {
        expect(isAllowed(caller, rule, true)).toBe(false);
        return [name, (error as GatewayError).code];
      }
    }),
  );
  expect(got).toEqual(outcomes as Outcomes);
});

test("a deactivated organization can still be read", () => {
  expect(isAllowed(CALLERS["the same, deactivated"], { allowed: both, whileDeactivated: false }, false)).toBe(
    true,
  );
});

test("a field without a rule rejects every caller", () => {
  for (const caller of Object.values(CALLERS)) {
    expect(() => authorize(caller, undefined, false)).toThrow("declares no @Access");
  }
});

test.each([
  [{ key: "contacts:write" }, "<API_KEY>"],
  [{ member: true }, "<session token>, from signIn"],
  [both, "<API_KEY or session token>"],
] as const)(
  "the rejection of a call without credentials names the credential that %j needs",
  (allowed, credential) => {
    expect(() => authorize(CALLERS.anonymous, { allowed, whileDeactivated: false }, false)).toThrow(
      `Bearer ${credential}.`,
    );
  },
);
