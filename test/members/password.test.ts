import { Member } from "../../src/members/member.entity";
import { hashPassword } from "../../src/members/password";
import { Session } from "../../src/members/session.entity";
import { SignInThrottle } from "../../src/members/sign-in-throttle.entity";
import { actionsOn } from "../support/audit";
import { onEachEngine } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { addMember, codeOf, openSession, type TestMember } from "../support/people";

const CHANGE = "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }";
const NEW = "another good password";

onEachEngine((engine) => {
  let gateway: TestGateway;
  let member: TestMember;
  beforeAll(async () => {
    gateway = await startGateway(engine);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    member = await addMember(gateway);
  });

  const change = (currentPassword: string, newPassword: string) =>
    gateway.graphql(CHANGE, { input: { currentPassword, newPassword } }, { token: member.token });
  const alive = async (token: string) =>
    codeOf(await gateway.graphql("{ viewer { id } }", {}, { token })) === undefined;

  test("a changed password replaces the old one and ends all other sessions of the member", async () => {
    const other = await openSession(gateway, member);
    expect((await change(member.password, NEW)).body).toEqual({ data: { changePassword: true } });
    expect([await alive(member.token), await alive(other), await alive(gateway.owner)]).toEqual([
      true,
      false,
      true,
    ]);
    await expect(openSession(gateway, member)).rejects.toMatchObject({ code: "invalid_credentials" });
    expect(await alive(await openSession(gateway, { email: member.email, password: NEW }))).toBe(true);
    expect(await actionsOn(gateway, member.id)).toContain("member_password_changed");
  });

  test("the present password must be right, or nothing changes", async () => {
    const other = await openSession(gateway, member);
    const reply = await change("not the password", NEW);
    expect([reply.status, codeOf(reply)]).toEqual([401, "invalid_credentials"]);
    expect(await alive(other)).toBe(true);
    expect(await alive(await openSession(gateway, member))).toBe(true);
  });

  test("a password has 12 to 200 characters", async () => {
    for (const bad of ["", "eleven char", "x".repeat(201)]) {
      expect(codeOf(await change(member.password, bad))).toBe("invalid_request");
    }
    const longest = "🐕".repeat(200);
    expect(codeOf(await change(member.password, longest))).toBeUndefined();
    expect(await alive(await openSession(gateway, { email: member.email, password: longest }))).toBe(true);
  });

  test("guessing the present password with a stolen session is limited as signing in is", async () => {
    const codes = [];
    for (let i = 0; i < 12; i++) codes.push(codeOf(await change(`guess ${i}`, NEW)));
    expect(codes.slice(0, 9)).toEqual(Array(9).fill("invalid_credentials"));
    expect(codes.at(-1)).toBe("too_many_attempts");
    expect(codeOf(await change(member.password, NEW))).toBe("too_many_attempts");
  });

  test("a sign-in that a change of the password overtakes opens no session", async () => {
    const { database } = gateway.services;
    const passwordHash = await hashPassword(NEW);
    // Passwords are looked at one by one, so the sign-in waits between reading the old hash and its session.
    const busy = Array.from({ length: 10 }, () => hashPassword(NEW));
    const before = await database.read((reader) => reader.count(SignInThrottle));
    const attempt = openSession(gateway, member).catch(() => undefined);
    while ((await database.read((reader) => reader.count(SignInThrottle))) === before);
    await database.read((reader) => reader.findOneBy(Member, { id: member.id }));
    await database.write(async (tx) => {
      await tx.update(Member, { id: member.id }, { passwordHash });
      await tx.delete(Session, { memberId: member.id });
    });
    const token = await attempt;
    expect(token === undefined || !(await alive(token))).toBe(true);
    await Promise.all(busy);
  });
});
