import { Session } from "../../src/features/members/session.entity";
import { mint, operator } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { addMember, codeOf, openSession, TEST_PASSWORD } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway((gateway) => {
  let key: { id: string };
  beforeAll(async () => {
    key = await mint(gateway, { name: "before" });
  });

  /** Returns all visible data except the audit log. */
  const state = async () =>
    (
      await gateway.graphql(
        `{ viewer { email organization { deactivatedAt } } members { email permissions } agents { slug }
           apiKeys { nodes { id name state expiresAt replacedById } } }`,
        {},
        { token: gateway.owner },
      )
    ).text;

  /** Runs work while the audit log cannot be written. */
  async function withoutAudit<T>(work: () => Promise<T>): Promise<T> {
    const rename = (from: string, to: string) =>
      gateway.services.database.write((tx) => tx.query(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename("audit_entry", "away");
    try {
      return await work();
    } finally {
      await rename("away", "audit_entry");
    }
  }

  const PASSWORDS = `{ currentPassword: "${TEST_PASSWORD}", newPassword: "never comes to be" }`;
  test.each([
    ["rename", () => `updateApiKey(input: { id: "${key.id}", name: "after" }) { id }`],
    ["rotate", () => `rotateApiKey(input: { id: "${key.id}", graceSeconds: 60 }) { secret }`],
    ["revoke", () => `revokeApiKey(input: { id: "${key.id}" }) { id }`],
    ["deactivate", () => "deactivateOrganization { id }"],
    ["change password", () => `changePassword(input: ${PASSWORDS}) { id }`],
    ["sign out", () => "signOut { wasActive }"],
    ["sign out everywhere", () => "signOutEverywhere { endedSessions }"],
  ])("%s: a change that cannot be recorded is not made", async (_, field) => {
    const { token, ...credentials } = await addMember(gateway, { manage: true });
    const before = await state();
    const reply = await withoutAudit(() => gateway.graphql(`mutation { ${field()} }`, {}, { token }));
    expect([reply.status, codeOf(reply)]).toEqual([500, "internal_error"]);
    expect(await state()).toBe(before);
    expect(codeOf(await gateway.graphql("{ viewer { id } }", {}, { token }))).toBeUndefined();
    await expect(openSession(gateway, credentials)).resolves.toEqual(expect.any(String));
  });

  test("sign in: a session that cannot be recorded is not opened", async () => {
    const member = await addMember(gateway);
    const sessions = () => gateway.services.database.read((reader) => reader.count(Session));
    const before = await sessions();
    await withoutAudit(() => expect(openSession(gateway, member)).rejects.toThrow());
    expect(await sessions()).toBe(before);
  });

  test("create: a key that cannot be recorded is not minted, and its idempotency key stays free", async () => {
    const desk = apiKeyClient(gateway);
    const input = { name: "untold", idempotencyKey: "untold" };
    const reply = await withoutAudit(() => desk.create(input));
    expect(codeOf(reply)).toBe("internal_error");
    expect((await desk.list()).text).not.toContain("untold");
    expect(codeOf(await desk.create(input))).toBeUndefined();
  });

  test("members, agents and organizations that cannot be recorded are not created by the command line", async () => {
    const { services } = gateway;
    const context = await operator(gateway);
    const before = await state();
    const member = { email: "untold@example.com", password: "never comes to be", permissions: [] };
    await withoutAudit(async () => {
      await expect(services.members.create(context, member)).rejects.toThrow();
      await expect(services.agents.create(context, { slug: "untold", name: "x" })).rejects.toThrow();
      await expect(services.organizations.create({ slug: "untold", name: "x" })).rejects.toThrow();
    });
    expect(await state()).toBe(before);
    await expect(services.organizations.bySlug("untold")).rejects.toMatchObject({ code: "not_found" });
  });
});
