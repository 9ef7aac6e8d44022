import { Permission } from "../../src/auth/permissions";
import { auditLog } from "../support/audit";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization, firstAgentId, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";

interface Done {
  action: string;
  target: { id: string; name: string; hint?: string };
  changes?: { field: string; before: string | null; after: string | null }[];
}

const HINT = expect.stringMatching(/^agk_dev_\w{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describeGateway({ engine: "any" }, (gateway, engine) => {
  let manager: TestMember;
  beforeEach(async () => {
    manager = await addMember(gateway, { manage: true });
  });

  const self = () => ({ id: manager.id, name: manager.email });
  const first = async () => {
    const { id, slug } = await gateway.services.organizations.bySlug("first");
    return { id, name: slug };
  };

  /**
   * Calls the API as the manager's browser does.
   * @returns the result of the first field
   */
  async function call(query: string, requestId: string, token: string | null = manager.token) {
    const headers = { "user-agent": "Browser/1.0", "x-request-id": requestId };
    const { body } = await gateway.graphql(query, {}, { token, headers });
    return body.data && Object.values<Record<string, { id: string }>>(body.data)[0];
  }

  const signIn = (password: string) =>
    `mutation { signIn(input: { email: "${manager.email}", password: "${password}" }) { token } }`;

  /** Every action of a member, as a function that does it once. */
  const ACTIONS: Record<string, (requestId: string) => Promise<Done>> = {
    create: async (requestId) => {
      const agentId = await firstAgentId(gateway);
      const input = `{ agentId: "${agentId}", name: "created by ${manager.id}" }`;
      const made = await call(`mutation { createApiKey(input: ${input}) { apiKey { id } } }`, requestId);
      const target = { id: made?.apiKey?.id ?? "", name: `created by ${manager.id}`, hint: HINT };
      return { action: "api_key_created", target };
    },
    rename: async (requestId) => {
      const { id, hint } = await mint(gateway, { name: `to rename ${requestId}` });
      const input = `{ id: "${id}", name: "renamed ${requestId}" }`;
      await call(`mutation { updateApiKey(input: ${input}) { id } }`, requestId);
      const target = { id, name: `to rename ${requestId}`, hint };
      const changes = [{ field: "name", before: target.name, after: `renamed ${requestId}` }];
      return { action: "api_key_renamed", target, changes };
    },
    rotate: async (requestId) => {
      const { id, hint } = await mint(gateway, { name: `to rotate ${requestId}` });
      const mutation = `rotateApiKey(input: { id: "${id}", graceSeconds: 5 }) { apiKey { id } }`;
      const made = await call(`mutation { ${mutation} }`, requestId);
      const changes = [
        { field: "expiresAt", before: null, after: TIME },
        { field: "replacedById", before: null, after: made?.apiKey?.id ?? "" },
      ];
      const target = { id, name: `to rotate ${requestId}`, hint };
      return { action: "api_key_rotated", target, changes };
    },
    revoke: async (requestId) => {
      const { id, hint } = await mint(gateway, { name: `to revoke ${requestId}` });
      await call(`mutation { revokeApiKey(input: { id: "${id}" }) { id } }`, requestId);
      return { action: "api_key_revoked", target: { id, name: `to revoke ${requestId}`, hint } };
    },
    deactivate: async (requestId) => {
      await call("mutation { deactivateOrganization { id } }", requestId);
      await call("mutation { reactivateOrganization { id } }", "other");
      return { action: "organization_deactivated", target: await first() };
    },
    reactivate: async (requestId) => {
      await call("mutation { deactivateOrganization { id } }", "other");
      await call("mutation { reactivateOrganization { id } }", requestId);
      return { action: "organization_reactivated", target: await first() };
    },
    "sign in": async (requestId) => {
      await call(signIn(manager.password), requestId, null);
      return { action: "member_signed_in", target: self() };
    },
    "change password": async (requestId) => {
      const input = `{ currentPassword: "${manager.password}", newPassword: "a new one, quite long" }`;
      await call(`mutation { changePassword(input: ${input}) { id } }`, requestId);
      return { action: "member_password_changed", target: self() };
    },
    "sign out": async (requestId) => {
      await call("mutation { signOut { wasActive } }", requestId);
      return { action: "member_signed_out", target: self() };
    },
    "sign out everywhere": async (requestId) => {
      await call("mutation { signOutEverywhere { endedSessions } }", requestId);
      return { action: "member_signed_out_everywhere", target: self() };
    },
  };

  test.each(Object.entries(ACTIONS))(
    "%s: the entry says who did it, to what, from where and when",
    async (...args) => {
      const [name, deed] = args;
      const requestId = `req-${name.replaceAll(" ", "-")}-${engine.name}`;
      const since = new Date().toISOString();
      const { action, target, changes = [] } = await deed(requestId);
      const all = await auditLog(gateway, { since, targetId: target.id, action });
      // Excludes the creation of the manager, which may have happened in the same millisecond but came from no request.
      const entries = all.filter((entry: { requestId: string | null }) => entry.requestId !== null);
      expect(entries).toEqual([
        {
          id: expect.any(String),
          action,
          actorKind: "member",
          actorId: manager.id,
          actorName: manager.email,
          targetId: target.id,
          targetName: target.name,
          targetHint: target.hint ?? null,
          changes,
          detail: null,
          ip: "127.0.0.1",
          userAgent: "Browser/1.0",
          requestId,
          count: 1,
          createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ]);
      expect(entries[0].createdAt >= since && entries[0].createdAt <= new Date().toISOString()).toBe(true);
    },
  );

  test("a change of permissions is recorded with the permissions before and after", async () => {
    const { members } = gateway.services;
    const context = await operator(gateway);
    const args = { memberId: manager.id, permission: Permission.config_manage };
    // The second call changes nothing and adds no entry.
    for (let i = 0; i < 2; i++) await members.revokePermission(context, args);
    await members.grantPermission(context, args);
    const entries = await auditLog(gateway, { targetId: manager.id });
    const changes = (wanted: string) =>
      entries.filter(({ action }: Done) => action === wanted).map(({ changes }: Done) => changes);
    expect(changes("member_created")).toEqual([
      [{ field: "permissions", before: null, after: "config:manage" }],
    ]);
    expect(changes("member_permissions_changed")).toEqual([
      [{ field: "permissions", before: null, after: "config:manage" }],
      [{ field: "permissions", before: "config:manage", after: null }],
    ]);
  });

  test("a rotation without a grace period revokes the key, and a grace period never extends the key's life", async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const soon = await mint(gateway, { expiresAt });
    const now = await mint(gateway);
    for (const [{ id }, grace] of [
      [soon, 3_600],
      [now, 0],
    ] as const)
      await call(
        `mutation { rotateApiKey(input: { id: "${id}", graceSeconds: ${grace} }) { secret } }`,
        "req-rotate",
      );
    const changed = async (targetId: string) => {
      const [entry] = await auditLog(gateway, { targetId, action: "api_key_rotated" });
      return entry.changes.map(({ field }: { field: string }) => field);
    };
    expect(await changed(soon.id)).toEqual(["replacedById"]);
    expect(await changed(now.id)).toEqual(["revokedAt", "replacedById"]);
  });

  test("a failed sign-in is recorded for the member it named, with an anonymous actor", async () => {
    await call(signIn("not the password"), "req-failed", null);
    const [entry] = await auditLog(gateway, { targetId: manager.id, action: "member_sign_in_failed" });
    expect(entry).toMatchObject({
      actorKind: "anonymous",
      actorId: null,
      targetName: manager.email,
      ip: "127.0.0.1",
      requestId: "req-failed",
    });
  });

  test("changes through the command line are recorded with the command line as their actor", async () => {
    const { id } = await mint(gateway, { name: `by hand ${engine.name}` });
    const { members } = gateway.services;
    await members.revokeAllPermissions(await operator(gateway), manager.id);
    for (const [targetId, action] of [
      [id, "api_key_created"],
      [manager.id, "member_permissions_changed"],
      [manager.id, "member_created"],
    ]) {
      const [entry] = await auditLog(gateway, { targetId, action });
      expect(entry).toMatchObject({
        actorKind: "operator",
        actorId: null,
        actorName: "command line",
        ip: null,
      });
    }
  });

  test("each entry belongs to the organization of its target", async () => {
    const other = await addOrganization(gateway, "telling");
    const theirs = await auditLog(gateway, {}, other.manager.token);
    expect(theirs.map(({ action }: Done) => action)).toEqual([
      "member_signed_in",
      "member_created",
      "line_created",
      "agent_created",
      "organization_created",
    ]);
    expect(await auditLog(gateway, { targetId: other.id })).toEqual([]);
  });
});
