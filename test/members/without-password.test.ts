import { SignInThrottle } from "../../src/features/members/sign-in-throttle.entity";
import { actionsOn } from "../support/audit";
import { operator } from "../support/gateway";
import { addPasskey, PASSKEY_ORIGIN, signInWithPasskey } from "../support/passkeys";
import { addMember, codeOf, invite, openSession, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";

const REMOVE = "mutation { removePassword { hasPassword } }";
const REMOVE_PASSKEY = "mutation ($id: ID!) { removePasskey(input: { id: $id }) { id } }";
const CHANGE = "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { hasPassword } }";
const ACCEPT =
  "mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { token member { id permissions } } }";
const NEW = "another good password";

describeGateway({ engine: "any", env: { PUBLIC_URL: PASSKEY_ORIGIN } }, (gateway) => {
  let member: TestMember;
  beforeEach(async () => {
    await gateway.services.database.write((tx) => tx.clear(SignInThrottle));
    member = await addMember(gateway, { permissions: ["conversations:read"] });
  });

  const ask = (document: string, variables: Record<string, unknown> = {}, token = member.token) =>
    gateway.graphql(document, variables, { token });
  const password = (value = member.password) => openSession(gateway, { ...member, password: value });
  const tokenOf = (link: string) => link.slice(link.indexOf("#") + 1);
  const withoutPassword = async () => {
    const passkey = await addPasskey(gateway, member);
    expect((await ask(REMOVE)).body.data.removePassword).toEqual({ hasPassword: false });
    return passkey;
  };

  test("a member with a passkey can remove the password, and others cannot", async () => {
    expect(codeOf(await ask(REMOVE))).toBe("conflict");
    const { authenticator } = await withoutPassword();
    await expect(password()).rejects.toMatchObject({ code: "invalid_credentials" });
    await expect(password("")).rejects.toMatchObject({ code: "invalid_credentials" });
    expect(codeOf(await signInWithPasskey(gateway, authenticator))).toBeUndefined();
    expect(codeOf(await ask(REMOVE))).toBeUndefined();
    const actions = await actionsOn(gateway, member.id);
    expect(actions.filter((action: string) => action === "member_password_removed")).toHaveLength(1);
  });

  test("the last way to sign in cannot be removed by its member", async () => {
    const { id } = await withoutPassword();
    const { id: second } = await addPasskey(gateway, member);
    expect(codeOf(await ask(REMOVE_PASSKEY, { id }))).toBeUndefined();
    expect(codeOf(await ask(REMOVE_PASSKEY, { id: second }))).toBe("conflict");
    expect(codeOf(await ask(CHANGE, { input: { newPassword: NEW } }))).toBeUndefined();
    expect(codeOf(await ask(REMOVE_PASSKEY, { id: second }))).toBeUndefined();
    await expect(password(NEW)).resolves.toMatch(/^ags_/);
  });

  test("if a password and the last passkey are removed at the same time, one removal succeeds", async () => {
    const { id } = await addPasskey(gateway, member);
    const codes = await Promise.all([ask(REMOVE), ask(REMOVE_PASSKEY, { id })]);
    expect(codes.map(codeOf).sort()).toEqual(["conflict", undefined]);
  });

  test("a first password needs no current one, but a member with a password cannot omit it", async () => {
    expect(codeOf(await ask(CHANGE, { input: { newPassword: NEW } }))).toBe("invalid_credentials");
    expect(codeOf(await ask(CHANGE, { input: { newPassword: NEW, currentPassword: "" } }))).toBe(
      "invalid_credentials",
    );
    await withoutPassword();
    expect((await ask(CHANGE, { input: { newPassword: NEW } })).body.data.changePassword.hasPassword).toBe(
      true,
    );
  });

  test("an invitation restores a way to sign in for a member who has none left", async () => {
    const { id } = await withoutPassword();
    await expect(invite(gateway, { email: member.email })).rejects.toMatchObject({ code: "conflict" });
    expect(codeOf(await ask(REMOVE_PASSKEY, { id }, gateway.owner))).toBeUndefined();
    const { link } = await invite(gateway, { email: member.email, permissions: ["config:manage"] });
    const input = { token: tokenOf(link), password: NEW };
    const { body } = await gateway.graphql(ACCEPT, { input }, { token: null });
    expect(body.data.acceptInvitation.member).toEqual({ id: member.id, permissions: ["conversations_read"] });
    expect(codeOf(await ask("{ viewer { id } }"))).toBe("invalid_session");
    await expect(password(NEW)).resolves.toMatch(/^ags_/);
    expect(await actionsOn(gateway, member.id)).toContain("member_password_changed");
  });

  test("an invitation that a member no longer needs changes nothing", async () => {
    const { id } = await withoutPassword();
    expect(codeOf(await ask(REMOVE_PASSKEY, { id }, gateway.owner))).toBeUndefined();
    const { link } = await invite(gateway, { email: member.email });
    await ask(CHANGE, { input: { newPassword: NEW } });
    const input = { token: tokenOf(link), password: "the password of a thief" };
    expect(codeOf(await gateway.graphql(ACCEPT, { input }, { token: null }))).toBe("conflict");
    await expect(password(NEW)).resolves.toMatch(/^ags_/);
  });

  test("the command line resets a password that was removed", async () => {
    const { id } = await withoutPassword();
    await ask(REMOVE_PASSKEY, { id }, gateway.owner);
    const { members, sessions } = gateway.services;
    await sessions.setPassword(await operator(gateway), await members.byEmail(member.email), NEW);
    await expect(password(NEW)).resolves.toMatch(/^ags_/);
  });
});
