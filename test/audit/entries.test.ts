import { auditLog } from "../support/audit";
import { onEachEngine } from "../support/engines";
import { mint, operator, startGateway, type TestGateway } from "../support/gateway";
import { addMember, addOrganization, firstAgentId, type TestMember } from "../support/people";

interface Done {
  action: string;
  target: { id: string; name: string };
}

onEachEngine((engine) => {
  let gateway: TestGateway;
  let manager: TestMember;
  beforeAll(async () => {
    gateway = await startGateway(engine);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    manager = await addMember(gateway, { manage: true });
  });

  const self = () => ({ id: manager.id, name: manager.email });
  const first = async () => {
    const { id, slug } = await gateway.services.organizations.bySlug("first");
    return { id, name: slug };
  };

  /** Calls as the manager does in a browser. @param query whose first field's answer is handed back */
  async function call(query: string, requestId: string, token: string | null = manager.token) {
    const headers = { "user-agent": "Browser/1.0", "x-request-id": requestId };
    const { body } = await gateway.graphql(query, {}, { token, headers });
    return body.data && Object.values<Record<string, { id: string }>>(body.data)[0];
  }

  const signIn = (password: string) =>
    `mutation { signIn(input: { email: "${manager.email}", password: "${password}" }) { token } }`;

  /** Each thing that a member can do, done once. */
  const ACTIONS: Record<string, (requestId: string) => Promise<Done>> = {
    create: async (requestId) => {
      const agentId = await firstAgentId(gateway);
      const input = `{ agentId: "${agentId}", name: "created by ${manager.id}" }`;
      const made = await call(`mutation { createApiKey(input: ${input}) { apiKey { id } } }`, requestId);
      const target = { id: made?.apiKey?.id ?? "", name: `created by ${manager.id}` };
      return { action: "api_key_created", target };
    },
    rename: async (requestId) => {
      const { id } = await mint(gateway, { name: `to rename ${requestId}` });
      await call(`mutation { renameApiKey(id: "${id}", name: "renamed ${requestId}") { id } }`, requestId);
      return { action: "api_key_renamed", target: { id, name: `to rename ${requestId}` } };
    },
    rotate: async (requestId) => {
      const { id } = await mint(gateway, { name: `to rotate ${requestId}` });
      await call(`mutation { rotateApiKey(id: "${id}", graceSeconds: 5) { secret } }`, requestId);
      return { action: "api_key_rotated", target: { id, name: `to rotate ${requestId}` } };
    },
    revoke: async (requestId) => {
      const { id } = await mint(gateway, { name: `to revoke ${requestId}` });
      await call(`mutation { revokeApiKey(id: "${id}") { id } }`, requestId);
      return { action: "api_key_revoked", target: { id, name: `to revoke ${requestId}` } };
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
      await call(`mutation { changePassword(input: ${input}) }`, requestId);
      return { action: "member_password_changed", target: self() };
    },
    "sign out": async (requestId) => {
      await call("mutation { signOut }", requestId);
      return { action: "member_signed_out", target: self() };
    },
    "sign out everywhere": async (requestId) => {
      await call("mutation { signOutEverywhere }", requestId);
      return { action: "member_signed_out_everywhere", target: self() };
    },
  };

  test.each(Object.entries(ACTIONS))(
    "%s: the entry says who did it, to what, from where and when",
    async (...args) => {
      const [name, deed] = args;
      const requestId = `req-${name.replaceAll(" ", "-")}-${engine.name}`;
      const since = new Date().toISOString();
      const { action, target } = await deed(requestId);
      const entries = await auditLog(gateway, { since, targetId: target.id, action });
      expect(entries).toEqual([
        {
          id: expect.any(String),
          action,
          actorKind: "member",
          actorId: manager.id,
          actorName: manager.email,
          targetId: target.id,
          targetName: target.name,
          detail: action.startsWith("api_key") ? expect.stringMatching(/^agk_dev_\w{12}(, .+)?$/) : null,
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

  test("a failed sign-in is told of the member it was for, by nobody known", async () => {
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

  test("what the command line does is told of the command line", async () => {
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

  test("each entry belongs to the organization of what it tells of", async () => {
    const other = await addOrganization(gateway, "telling");
    const theirs = await auditLog(gateway, {}, other.manager.token);
    expect(theirs.map(({ action }: Done) => action)).toEqual([
      "member_signed_in",
      "member_created",
      "agent_created",
      "organization_created",
    ]);
    expect(await auditLog(gateway, { targetId: other.id })).toEqual([]);
  });
});
