import { Permission } from "../../src/auth/permissions";
import { Member } from "../../src/features/members/member.entity";
import { actionsOn, auditLog } from "../support/audit";
import { postgres } from "../support/engines";
import { operator, type Reply, startGateway } from "../support/gateway";
import { lockWaits } from "../support/lock-waits";
import { addMember, addOrganization, codeOf, invite, openSession, type TestMember } from "../support/people";
import { runCli, runCliForJson } from "../support/process";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

describeGateway({ engine: "any" }, (gateway) => {
  const remove = (token: string, { id }: Pick<TestMember, "id">) =>
    gateway.graphql(
      "mutation ($id: ID!) { removeMember(input: { id: $id }) { id email } }",
      { id },
      { token },
    );
  const revoke = (token: string, { id }: Pick<TestMember, "id">) =>
    gateway.graphql(
      "mutation ($id: ID!) { revokePermission(input: { memberId: $id, permission: config_manage }) { id } }",
      { id },
      { token },
    );
  const isSignedIn = async (token: string) =>
    codeOf(await gateway.graphql("{ viewer { id } }", {}, { token })) === undefined;
  const organization = (() => {
    let number = 0;
    return async () => {
      const slug = `removal-${++number}`;
      return { slug, ...(await addOrganization(gateway, slug)) };
    };
  })();
  const managersOf = async (organizationId: string) =>
    (await gateway.services.database.read((reader) => reader.findBy(Member, { organizationId }))).filter(
      ({ permissions }) => permissions.join().includes("config:manage"),
    );

  test("a removed member is signed out everywhere, cannot sign in, and may be invited again", async () => {
    const { manager, slug } = await organization();
    const member = await addMember(gateway, { org: slug });
    const tokens = [member.token, await openSession(gateway, member)];
    expect((await remove(manager.token, member)).body.data.removeMember.email).toBe(member.email);
    for (const token of tokens) expect(await isSignedIn(token)).toBe(false);
    await expect(openSession(gateway, member)).rejects.toMatchObject({ code: "invalid_credentials" });
    expect(codeOf(await remove(manager.token, member))).toBe("not_found");
    const [entry] = await auditLog(gateway, { targetId: member.id }, manager.token);
    expect(entry).toMatchObject({ action: "member_removed", targetName: member.email, actorId: manager.id });
    await addMember(gateway, { org: slug, email: member.email });
  });

  test("the last member with config:manage cannot be removed, whatever the caller", async () => {
    const { manager, slug } = await organization();
    await addMember(gateway, { org: slug });
    const reply = await remove(manager.token, manager);
    expect([reply.status, codeOf(reply)]).toEqual([409, "conflict"]);
    expect(await runCli(gateway.databaseUrl, ["members", "remove", manager.email])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The last member with"),
    });
    expect(await isSignedIn(manager.token)).toBe(true);
    const other = await addMember(gateway, { org: slug, manage: true });
    expect(codeOf(await remove(manager.token, manager))).toBeUndefined();
    expect(await isSignedIn(other.token)).toBe(true);
  });

  test("in an organization without a manager, an operator changes and removes members", async () => {
    const slug = "nobody-manages";
    await gateway.services.organizations.create({ slug, name: slug });
    const { id } = await addMember(gateway, { org: slug });
    const context = await operator(gateway, slug);
    const { members } = gateway.services;
    const permission = Permission.conversations_read;
    expect((await members.grantPermission(context, { memberId: id, permission })).permissions).toHaveLength(
      1,
    );
    expect(await members.remove(context, id)).toMatchObject({ id });
    expect(await members.list(context)).toEqual([]);
  });

  test.each<[string, typeof remove, typeof remove]>([
    ["remove each other", remove, remove],
    ["remove and demote each other", remove, revoke],
  ])("one of two managers who %s at the same time succeeds", async (_, first, second) => {
    for (let round = 0; round < 5; round++) {
      const { manager, slug, id } = await organization();
      const other = await addMember(gateway, { org: slug, manage: true });
      const codes = await Promise.all([
        first(manager.token, other).then(codeOf),
        second(other.token, manager).then(codeOf),
      ]);
      const [rejected] = codes.filter((code) => code !== undefined);
      expect(codes).toContain(undefined);
      expect(["invalid_session", "forbidden"]).toContain(rejected);
      expect(await managersOf(id)).toHaveLength(1);
    }
  });

  test("if all managers leave at the same time, one of them stays", async () => {
    const { manager, slug, id } = await organization();
    const others = await Promise.all([1, 2, 3].map(() => addMember(gateway, { org: slug, manage: true })));
    const replies = await Promise.all([manager, ...others].map((each) => remove(each.token, each)));
    expect(replies.map(codeOf).filter((code) => code !== undefined)).toEqual(["conflict"]);
    expect(await managersOf(id)).toHaveLength(1);
  });

  test("a removal and a sign-in at the same time leave neither a session nor a failure", async () => {
    for (let round = 0; round < 5; round++) {
      const member = await addMember(gateway);
      const signIns = Array.from({ length: 3 }, () => openSession(gateway, member).catch(({ code }) => code));
      const reply: Reply = await remove(gateway.owner, member);
      expect(codeOf(reply)).toBeUndefined();
      for (const outcome of await Promise.all(signIns))
        if (outcome.startsWith("ags_")) expect(await isSignedIn(outcome)).toBe(false);
        else expect(outcome).toBe("invalid_credentials");
    }
  });

  test("the command line removes, lists sessions and signs out", async () => {
    const member = await addMember(gateway);
    const run = (...args: string[]) => runCliForJson(gateway.databaseUrl, "members", ...args);
    await gateway.graphql(
      "mutation { signOut { wasActive } }",
      {},
      { token: await openSession(gateway, member) },
    );
    expect(await run("sessions", member.email)).toEqual([
      {
        id: expect.any(String),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        ip: null,
        userAgent: null,
      },
    ]);
    expect(await run("sign-out", member.email)).toEqual({ ended: 1 });
    expect(await isSignedIn(member.token)).toBe(false);
    expect(await run("remove", member.email)).toMatchObject({ id: member.id, email: member.email });
    expect(await actionsOn(gateway, member.id)).toEqual(
      expect.arrayContaining(["member_signed_out_everywhere", "member_removed"]),
    );
    expect(await runCli(gateway.databaseUrl, ["members", "remove", member.email])).toMatchObject({ code: 1 });
  });
});

slowTest(
  "changes to an organization's members that wait for each other do not hold up another organization's",
  async () => {
    const gateway = await startGateway(postgres);
    const { database, members } = gateway.services;
    await addOrganization(gateway, "other");
    const { id } = await addMember(gateway);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let holding = Promise.resolve();
    await new Promise<void>((locked) => {
      holding = database.write(async (tx) => {
        await tx.query("update member set created_at = created_at where id = $1", [id]);
        locked();
        await held;
      });
    });
    const removing = members.remove(await operator(gateway), id);
    try {
      await waitUntil(async () => (await lockWaits(gateway)) > 0);
      expect(await invite(gateway, { org: "other" })).toMatchObject({ mail: "off" });
    } finally {
      letGo();
      await Promise.all([holding, removing]);
      await gateway.close();
    }
  },
);
