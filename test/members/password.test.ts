import argon2 from "@node-rs/argon2";
import { operatorFor } from "../../src/auth/context";
import { hashPassword } from "../../src/credentials/password";
import { Member } from "../../src/features/members/member.entity";
import { Session } from "../../src/features/members/session.entity";
import { SignInThrottle } from "../../src/features/members/sign-in-throttle.entity";
import { actionsOn } from "../support/audit";
import { addMember, codeOf, openSession, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";

const CHANGE = "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { id } }";
const NEW = "another good password";

describeGateway({ engine: "any", env: { TRUST_PROXY: "true" } }, (gateway) => {
  let member: TestMember;
  beforeEach(async () => {
    member = await addMember(gateway);
  });

  const change = (currentPassword: string, newPassword: string) =>
    gateway.graphql(CHANGE, { input: { currentPassword, newPassword } }, { token: member.token });
  const alive = async (token: string) =>
    codeOf(await gateway.graphql("{ viewer { id } }", {}, { token })) === undefined;

  test("a changed password replaces the old one and ends all other sessions of the member", async () => {
    const other = await openSession(gateway, member);
    expect((await change(member.password, NEW)).body).toEqual({
      data: { changePassword: { id: expect.any(String) } },
    });
    expect([await alive(member.token), await alive(other), await alive(gateway.owner)]).toEqual([
      true,
      false,
      true,
    ]);
    await expect(openSession(gateway, member)).rejects.toMatchObject({ code: "invalid_credentials" });
    expect(await alive(await openSession(gateway, { email: member.email, password: NEW }))).toBe(true);
    expect(await actionsOn(gateway, member.id)).toContain("member_password_changed");
  });

  test("the current password must be right, or nothing changes", async () => {
    const other = await openSession(gateway, member);
    const reply = await change("not the password", NEW);
    expect([reply.status, codeOf(reply)]).toEqual([401, "invalid_credentials"]);
    expect(await actionsOn(gateway, member.id)).toContain("member_password_change_failed");
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

  test("guessing the current password with a stolen session is limited like signing in", async () => {
    const codes = [];
    for (let i = 0; i < 12; i++) codes.push(codeOf(await change(`guess ${i}`, NEW)));
    expect(codes.slice(0, 9)).toEqual(Array(9).fill("invalid_credentials"));
    expect(codes.at(-1)).toBe("too_many_attempts");
    expect(codeOf(await change(member.password, NEW))).toBe("too_many_attempts");
  });

  test("a successful change clears only its own count of wrong passwords", async () => {
    const signIn = (email: string, ip: string, password = "wrong") =>
      gateway.graphql(
        "mutation ($input: SignInInput!) { signIn(input: $input) { token } }",
        { input: { email, password } },
        { token: null, headers: { "x-forwarded-for": ip } },
      );
    const counts = async () =>
      (await gateway.services.database.read((reader) => reader.find(SignInThrottle)))
        .filter(({ attempts }) => attempts > 0)
        .map(({ bucket, attempts }) => `${bucket} ${attempts}`)
        .sort();
    for (let i = 0; i < 5; i++) await signIn(member.email, `192.0.2.${i}`);
    await change("not the password", NEW);
    const before = await counts();
    expect(codeOf(await change(member.password, NEW))).toBeUndefined();
    expect(await counts()).toEqual(before);
  });

  /** Makes a password change wait for something else after it has checked the current password. */
  async function overtake(meanwhile: () => Promise<unknown>) {
    const { hash } = argon2;
    let overtaken = false;
    const spy = jest.spyOn(argon2, "hash").mockImplementation(async (...args) => {
      const changes = !overtaken;
      overtaken = true;
      if (changes) await meanwhile();
      return hash(...args);
    });
    try {
      return await change(member.password, NEW);
    } finally {
      spy.mockRestore();
    }
  }

  test("a change does not undo an earlier reset or change, and ends with its session", async () => {
    const { database, members, sessions } = gateway.services;
    const changed = await hashPassword("what was chosen first");
    const replace = () =>
      database.write((tx) => tx.update(Member, { id: member.id }, { passwordHash: changed }));
    const current = async () => (await members.byEmail(member.email)).passwordHash;
    for (let i = 0; i < 5; i++) {
      member = await addMember(gateway);
      expect(codeOf(await overtake(replace))).toBe("invalid_credentials");
      expect(await current()).toBe(changed);
    }
    member = await addMember(gateway);
    const before = await current();
    const context = await acceptedMember(member.token);
    expect(codeOf(await overtake(() => sessions.signOutEverywhere(context)))).toBe("invalid_session");
    expect(await current()).toBe(before);
  });

  test("an operator's reset is kept, however many changes of the old password are in flight", async () => {
    const { members, sessions } = gateway.services;
    for (let round = 0; round < 3; round++) {
      member = await addMember(gateway);
      const found = await members.byEmail(member.email);
      const changes = Array.from({ length: 5 }, (_, i) => change(member.password, `${NEW} ${i}`));
      await sessions.setPassword(operatorFor(found.organization), found, "the operator's password");
      await Promise.all(changes);
      // The reset undoes earlier changes; later ones are rejected.
      const token = await openSession(gateway, { email: member.email, password: "the operator's password" });
      expect(await alive(token)).toBe(true);
    }
  });

  const acceptedMember = async (token: string) => {
    const origin = { ip: null, userAgent: null, requestId: null };
    return { caller: await gateway.services.sessions.resolve(token, origin), origin };
  };

  test("a sign-in that is overtaken by a password change opens no session", async () => {
    const { database } = gateway.services;
    const passwordHash = await hashPassword(NEW);
    // Passwords are checked one by one, so the sign-in waits between reading the old hash and opening its session.
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
