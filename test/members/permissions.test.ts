import { PERMISSIONS, Permission } from "../../src/auth/permissions";
import { actionsOn, auditLog } from "../support/audit";
import { operator, type Reply } from "../support/gateway";
import { addMember, addOrganization, codeOf, type TestMember } from "../support/people";
import { runCli, runCliForJson } from "../support/process";
import { describeGateway } from "../support/suite";

type Change = "grantPermission" | "revokePermission";

describeGateway({ engine: "any" }, (gateway) => {
  const change = (
    what: Change,
    token: string,
    { id }: Pick<TestMember, "id">,
    permission = "config_manage",
  ) =>
    gateway.graphql(
      `mutation ($id: ID!, $permission: Permission!) { ${what}(input: { memberId: $id, permission: $permission }) { permissions } }`,
      { id, permission },
      { token },
    );
  const held = ({ body }: Reply, what: Change) => body.data?.[what]?.permissions;
  const organization = (() => {
    let number = 0;
    return () => addOrganization(gateway, `organization-${++number}`);
  })();
  const managersOf = async (slug: string) =>
    (await gateway.services.members.list(await operator(gateway, slug))).filter(({ permissions }) =>
      permissions.includes(Permission.config_manage),
    );

  test("the owner of a first start has every permission", async () => {
    const { permissions } = await gateway.services.members.byEmail(gateway.ownerCredentials.email);
    expect(permissions).toEqual(PERMISSIONS);
  });

  test("permissions are granted and revoked one by one, from the next request on", async () => {
    const member = await addMember(gateway, { permissions: [Permission.conversations_write] });
    const mayList = async () =>
      codeOf(await gateway.graphql("{ apiKeys { nodes { id } } }", {}, { token: member.token })) ?? "ok";
    const grant = async (permission?: string) =>
      held(await change("grantPermission", gateway.owner, member, permission), "grantPermission");
    const revoke = async (permission?: string) =>
      held(await change("revokePermission", gateway.owner, member, permission), "revokePermission");
    expect(await mayList()).toBe("forbidden");
    expect(await grant()).toEqual(["config_manage", "conversations_write"]);
    expect(await mayList()).toBe("ok");
    expect(await grant("conversations_read")).toHaveLength(3);
    expect(await revoke("conversations_write")).toEqual(["config_manage", "conversations_read"]);
    expect(await mayList()).toBe("ok");
    expect(await revoke()).toEqual(["conversations_read"]);
    expect(await mayList()).toBe("forbidden");
  });

  test("granting an existing permission or revoking a missing one changes nothing, and is not logged", async () => {
    const member = await addMember(gateway, { manage: true });
    const before = await actionsOn(gateway, member.id);
    const replies = [
      await change("grantPermission", gateway.owner, member),
      await change("revokePermission", gateway.owner, member, "conversations_read"),
    ];
    expect(replies.map(({ body }) => Object.values(body.data))).toEqual([
      [{ permissions: ["config_manage"] }],
      [{ permissions: ["config_manage"] }],
    ]);
    expect(await actionsOn(gateway, member.id)).toEqual(before);
    await change("revokePermission", gateway.owner, member);
    const [entry] = await auditLog(gateway, { targetId: member.id, action: "member_permissions_changed" });
    expect(entry).toMatchObject({ actorKind: "member", targetName: member.email });
  });

  test("several permissions are changed all or none, as one entry in the audit log", async () => {
    const { manager } = await organization();
    const changePermissions = (input: object) =>
      gateway.graphql(
        "mutation ($input: ChangePermissionsInput!) { changePermissions(input: $input) { permissions } }",
        { input: { memberId: manager.id, ...input } },
        { token: manager.token },
      );
    const stored = () => gateway.services.members.byEmail(manager.email);
    const { permissions, organization: own } = await stored();
    const last = await changePermissions({ grant: ["conversations_write"], revoke: ["config_manage"] });
    expect([codeOf(last), (await stored()).permissions]).toEqual(["conflict", permissions]);
    const both = await changePermissions({ grant: ["config_manage"], revoke: ["config_manage"] });
    expect(both.body.errors[0].message).toContain("must not contain a permission that is also in grant");

    const other = await addMember(gateway, { org: own.slug, manage: true });
    const changed = await changePermissions({
      grant: ["conversations_write", "conversations_read"],
      revoke: ["config_manage"],
    });
    expect(changed.body.data.changePermissions.permissions).toEqual([
      "conversations_read",
      "conversations_write",
    ]);
    const actions = await actionsOn(gateway, manager.id, other.token);
    expect(actions.filter((action) => action === "member_permissions_changed")).toHaveLength(1);
  });

  test("the last member with config:manage keeps it, whatever the caller", async () => {
    const { manager } = await organization();
    const own = await change("revokePermission", manager.token, manager);
    expect({ code: codeOf(own), status: own.status }).toEqual({ code: "conflict", status: 409 });
    for (const args of [
      ["revoke", manager.email, "config:manage"],
      ["permit", manager.email],
    ]) {
      const rejected = await runCli(gateway.databaseUrl, ["members", ...args]);
      expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining("The last member with") });
    }
    expect(
      codeOf(await change("grantPermission", manager.token, manager, "conversations_read")),
    ).toBeUndefined();
    expect(
      codeOf(await change("revokePermission", manager.token, manager, "conversations_read")),
    ).toBeUndefined();
  });

  test("if all managers give up config:manage at the same time, one of them keeps it", async () => {
    const { manager } = await organization();
    const {
      organization: { slug: org },
    } = await gateway.services.members.byEmail(manager.email);
    for (let round = 0; round < 4; round++) {
      const [first] = await managersOf(org);
      const others = await Promise.all([1, 2, 3].map(() => addMember(gateway, { org, manage: true })));
      const context = await operator(gateway, org);
      const ids = [first?.id ?? "", ...others.map(({ id }) => id)];
      const outcomes = await Promise.allSettled(
        ids.map((memberId) =>
          gateway.services.members.revokePermission(context, {
            memberId,
            permission: Permission.config_manage,
          }),
        ),
      );
      const rejected = outcomes.filter((each) => each.status === "rejected").map(({ reason }) => reason.code);
      expect(rejected).toEqual(["conflict"]);
      expect(await managersOf(org)).toHaveLength(1);
    }
  });

  test("one of two managers who revoke each other's config:manage succeeds", async () => {
    for (let round = 0; round < 4; round++) {
      const { manager } = await organization();
      const {
        organization: { slug: org },
      } = await gateway.services.members.byEmail(manager.email);
      const other = await addMember(gateway, { org, manage: true });
      const codes = await Promise.all([
        change("revokePermission", manager.token, other).then(codeOf),
        change("revokePermission", other.token, manager).then(codeOf),
      ]);
      expect(codes.sort()).toEqual(["forbidden", undefined]);
      expect(await managersOf(org)).toHaveLength(1);
    }
  });

  test("the command line grants and revokes single permissions", async () => {
    const run = (...args: string[]) => runCliForJson(gateway.databaseUrl, "members", ...args);
    const add = ["add", "--org", "first", "--email", "cli@example.com", "--permissions"];
    const added = await run(...add, "conversations:write,conversations:read");
    expect(added.permissions).toEqual(["conversations:read", "conversations:write"]);
    const granted = await run("grant", "cli@example.com", "config:manage");
    expect(granted).toMatchObject({ id: added.id, permissions: PERMISSIONS });
    const revoked = await run("revoke", "cli@example.com", "conversations:read");
    expect(revoked.permissions).toEqual(["config:manage", "conversations:write"]);
    const cli = (...args: string[]) => runCli(gateway.databaseUrl, ["members", ...args]);
    expect((await cli("grant", "cli@example.com", "conversations:read")).stdout).toBe(
      "Permissions for cli@example.com: config:manage, conversations:read, conversations:write.\n",
    );
    for (const [code, ...args] of [
      [2, "grant", "cli@example.com", "config:eat"],
      [1, "grant", "unknown@example.com", "config:manage"],
      [2, ...add, "config:eat"],
    ] as const) {
      expect(await cli(...args)).toMatchObject({
        code,
        stdout: "",
        stderr: expect.stringMatching(/^gateway: .*\n$/),
      });
    }
  });

  test("members permit still works: with --manage it grants config:manage, without it revokes everything", async () => {
    const { email } = await addMember(gateway, { permissions: [Permission.conversations_read] });
    const permit = async (...args: string[]) => {
      await runCli(gateway.databaseUrl, ["members", "permit", email, ...args]);
      return (await gateway.services.members.byEmail(email)).permissions;
    };
    expect(await permit("--manage")).toEqual(["config:manage", "conversations:read"]);
    expect(await permit()).toEqual([]);
  });
});
