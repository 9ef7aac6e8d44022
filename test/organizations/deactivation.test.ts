import { actionsOn } from "../support/audit";
import { mint, type Reply } from "../support/gateway";
import { apiKeyClient, expire, outcomeOf } from "../support/keys";
import { addOrganization, codeOf, openSession, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  let manager: TestMember;
  let organization: { id: string; agentId: string };
  let key: { id: string; secret: string };

  beforeEach(async () => {
    const slug = `org-${Math.random().toString(36).slice(2)}`;
    const made = await addOrganization(gateway, slug);
    [organization, manager] = [made, made.manager];
    key = await mint(gateway, { agent: `${slug}-agent` });
  });

  const ask = (query: string, variables = {}): Promise<Reply> =>
    gateway.graphql(query, variables, { token: manager.token });
  const deactivate = () => ask("mutation { deactivateOrganization { id slug deactivatedAt } }");
  const reactivate = () => ask("mutation { reactivateOrganization { id slug deactivatedAt } }");

  test("while an organization is deactivated, its keys are rejected, and they work again afterwards", async () => {
    const { deactivateOrganization } = (await deactivate()).body.data;
    expect(deactivateOrganization).toMatchObject({ id: organization.id, deactivatedAt: expect.any(String) });
    expect(await outcomeOf(gateway, key.secret)).toBe("key_not_resolvable");
    const sent = await gateway.rest("POST", "/messages", { token: key.secret, body: { message: "hello" } });
    expect([sent.status, codeOf(sent)]).toEqual([401, "key_not_resolvable"]);
    expect(await outcomeOf(gateway, gateway.key)).toBe("accepted");
    expect((await reactivate()).body.data.reactivateOrganization.deactivatedAt).toBeNull();
    expect(await outcomeOf(gateway, key.secret)).toBe("accepted");
  });

  test("while it is deactivated, a revoked key stays revoked, and an expired key is rejected", async () => {
    const revoked = await mint(gateway, { agent: await agentSlug() });
    const expired = await mint(gateway, { agent: await agentSlug() });
    await apiKeyClient(gateway).revoke(revoked.id, { token: manager.token });
    await expire(gateway, expired.id);
    await deactivate();
    expect(await outcomeOf(gateway, revoked.secret)).toBe("key_revoked");
    expect(await outcomeOf(gateway, expired.secret)).toBe("key_not_resolvable");
    await reactivate();
    expect(await outcomeOf(gateway, expired.secret)).toBe("key_expired");
  });

  test("its members can still sign in and read everything", async () => {
    await deactivate();
    manager.token = await openSession(gateway, manager);
    const reply = await ask(`{
      viewer { organization { deactivatedAt } } agents { id } members { id }
      apiKeys { nodes { id state } } auditLog { nodes { action } }
    }`);
    expect(reply.body.errors).toBeUndefined();
    expect(reply.body.data.viewer.organization.deactivatedAt).toEqual(expect.any(String));
    expect(reply.body.data.apiKeys.nodes).toEqual([{ id: key.id, state: "active" }]);
    expect(reply.body.data.auditLog.nodes[0].action).toBe("member_signed_in");
  });

  test("its members can only change their own password and sessions, and revoke keys", async () => {
    await deactivate();
    const desk = apiKeyClient(gateway);
    const call = { token: manager.token };
    for (const reply of [
      await desk.create({ agentId: organization.agentId, name: "late" }, call),
      await desk.update(key.id, { name: "late" }, call),
      await desk.rotate(key.id, 0, call),
    ]) {
      expect([reply.status, codeOf(reply)]).toEqual([403, "organization_deactivated"]);
    }
    const { nodes } = (await desk.list({}, call)).body.data.apiKeys;
    expect(nodes).toMatchObject([{ id: key.id, state: "active", name: expect.not.stringContaining("late") }]);
    expect((await desk.revoke(key.id, call)).body.data.revokeApiKey.state).toBe("revoked");
    expect(await outcomeOf(gateway, key.secret)).toBe("key_revoked");
    const passwords = { currentPassword: manager.password, newPassword: "a password for later" };
    const change = "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { id } }";
    expect((await ask(change, { input: passwords })).body).toEqual({
      data: { changePassword: { id: expect.any(String) } },
    });
    expect((await ask("mutation { signOut { wasActive } }")).body).toEqual({
      data: { signOut: { wasActive: true } },
    });
  });

  test("switching it to its current state changes and writes nothing", async () => {
    const first = (await deactivate()).body.data.deactivateOrganization;
    expect((await deactivate()).body.data.deactivateOrganization).toEqual(first);
    await reactivate();
    await reactivate();
    expect(await actions()).toEqual([
      "organization_created",
      "organization_deactivated",
      "organization_reactivated",
    ]);
  });

  test("20 concurrent members deactivate it once", async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, deactivate));
    const since = replies.map(({ body }) => body.data.deactivateOrganization.deactivatedAt);
    expect(new Set(since).size).toBe(1);
    expect((await actions()).filter((action) => action === "organization_deactivated")).toHaveLength(1);
  });

  const agentSlug = async () => (await ask("{ agents { slug } }")).body.data.agents[0].slug;
  const actions = () => actionsOn(gateway, organization.id, manager.token);
});
