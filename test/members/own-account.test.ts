import { SignInThrottle } from "../../src/features/members/sign-in-throttle.entity";
import { actionsOn, auditLog } from "../support/audit";
import { openBrowser } from "../support/browser";
import { addMember, addOrganization, codeOf, openSession, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";

const CHANGE = "mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { email } }";
const RENAME = "mutation ($name: String) { changeName(input: { name: $name }) { name } }";
const END = "mutation ($id: ID!) { endSession(input: { id: $id }) { id } }";
const SESSIONS = "query ($id: ID) { sessions(memberId: $id) { id isCurrent ip userAgent expiresAt } }";
const unique = () => `${Math.random().toString(36).slice(2)}@example.com`;

describeGateway({ engine: "any", env: { TRUST_PROXY: "true" } }, (gateway) => {
  let member: TestMember;
  beforeEach(async () => {
    await gateway.services.database.write((tx) => tx.clear(SignInThrottle));
    member = await addMember(gateway);
  });

  const changeEmail = (email: string, token = member.token) =>
    gateway.graphql(CHANGE, { input: { email } }, { token });
  const sessions = async (token: string, id?: string) =>
    (await gateway.graphql(SESSIONS, { id }, { token })).body.data?.sessions;
  const isSignedIn = async (token: string) =>
    codeOf(await gateway.graphql("{ viewer { id } }", {}, { token })) === undefined;

  test("after a change of address, a member stays signed in, and signs in with the new address", async () => {
    const email = unique();
    expect((await changeEmail(` ${email.toUpperCase()} `)).body.errors?.[0].extensions.code).toBe(
      "invalid_request",
    );
    expect((await changeEmail(email.toUpperCase())).body.data.changeEmail.email).toBe(email);
    expect(await isSignedIn(member.token)).toBe(true);
    await expect(openSession(gateway, member)).rejects.toMatchObject({ code: "invalid_credentials" });
    expect(await openSession(gateway, { ...member, email })).toMatch(/^ags_/);
    const [entry] = await auditLog(gateway, { targetId: member.id, action: "member_email_changed" });
    expect(entry).toMatchObject({
      targetName: email,
      changes: [{ field: "email", before: member.email, after: email }],
    });
  });

  test("an address that is too long in lowercase is rejected", async () => {
    const long = `${"İ".repeat(32)}@${"İ".repeat(60)}.${"İ".repeat(40)}.com`;
    expect(long.length).toBeLessThan(254);
    expect(codeOf(await changeEmail(long))).toBe("invalid_request");
  });

  test("an address in use is rejected, and counts as a failure, so that no member can try many", async () => {
    const { manager } = await addOrganization(gateway, `own-${Math.random().toString(36).slice(2)}`);
    const codes = [];
    for (let i = 0; i < 11; i++) codes.push(codeOf(await changeEmail(manager.email)));
    expect(codes).toEqual([...Array(10).fill("conflict"), "too_many_attempts"]);
    expect(await actionsOn(gateway, member.id)).toContain("member_email_change_failed");
    expect(await openSession(gateway, manager)).toMatch(/^ags_/);
  });

  test("if members take the same address at the same time, one gets it", async () => {
    const email = unique();
    const others = await Promise.all([1, 2, 3].map(() => addMember(gateway)));
    const codes = await Promise.all(others.map((each) => changeEmail(email, each.token).then(codeOf)));
    expect(codes.sort()).toEqual(["conflict", "conflict", undefined]);
  });

  test("a member has a name of one line that is no address and holds no token, until it is removed", async () => {
    const rename = (name: string | null) => gateway.graphql(RENAME, { name }, { token: member.token });
    for (const name of [
      "",
      " ",
      "x".repeat(101),
      "a@example.com",
      "a＠b",
      "two\nlines",
      "\u202eann",
      member.token,
    ])
      expect([name, codeOf(await rename(name))]).toEqual([name, "invalid_request"]);
    expect((await rename(" 山田 👩‍👩‍👧 ")).body.data.changeName.name).toBe("山田 👩‍👩‍👧");
    const names = (await gateway.graphql("{ members { id name } }", {}, { token: gateway.owner })).body.data;
    expect(names.members).toContainEqual({ id: member.id, name: "山田 👩‍👩‍👧" });
    expect((await rename(null)).body.data.changeName.name).toBeNull();
    const entries = await auditLog(gateway, { targetId: member.id, action: "member_name_changed" });
    expect(entries.map((entry: { changes: object[] }) => entry.changes)).toEqual([
      [{ field: "name", before: "山田 👩‍👩‍👧", after: null }],
      [{ field: "name", before: null, after: "山田 👩‍👩‍👧" }],
    ]);
  });

  test("a member lists and ends only their own sessions", async () => {
    const other = await openSession(gateway, member);
    const listed = await sessions(member.token);
    expect(listed.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([false, true]);
    const stranger = await addMember(gateway);
    expect(codeOf(await gateway.graphql(END, { id: listed[0].id }, { token: stranger.token }))).toBe(
      "not_found",
    );
    expect(codeOf(await gateway.graphql(SESSIONS, { id: member.id }, { token: stranger.token }))).toBe(
      "forbidden",
    );
    expect(await isSignedIn(other)).toBe(true);
    expect(codeOf(await gateway.graphql(END, { id: listed[0].id }, { token: member.token }))).toBeUndefined();
    expect([await isSignedIn(other), await isSignedIn(member.token)]).toEqual([false, true]);
    expect(codeOf(await gateway.graphql(END, { id: listed[0].id }, { token: member.token }))).toBe(
      "not_found",
    );
    expect(await actionsOn(gateway, member.id)).toContain("member_session_ended");
  });

  test("a manager lists and ends the sessions of any member of the organization", async () => {
    const [session] = await sessions(gateway.owner, member.id);
    expect(session.isCurrent).toBe(false);
    expect(codeOf(await gateway.graphql(END, { id: session.id }, { token: gateway.owner }))).toBeUndefined();
    expect(await isSignedIn(member.token)).toBe(false);
    expect(await sessions(gateway.owner, member.id)).toEqual([]);
  });

  test("a session shows where it was opened, and ending one's own clears the cookie", async () => {
    const browser = openBrowser(gateway);
    await browser.signIn(member, { headers: { "user-agent": "A browser", "x-forwarded-for": "192.0.2.9" } });
    const [current] = (await browser.ask(SESSIONS)).body.data.sessions;
    expect(current).toMatchObject({ isCurrent: true, ip: "192.0.2.9", userAgent: "A browser" });
    await browser.ask(END, { id: current.id });
    expect(browser.cookie()).toBeUndefined();
  });
});
