import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { purge } from "../../src/housekeeping";
import { actionsOn } from "../support/audit";
import { operator } from "../support/gateway";
import { lockWaits } from "../support/lock-waits";
import { addMember, codeOf, openSession } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const SIGN_IN = `mutation ($input: SignInInput!) {
  signIn(input: $input) { token expiresAt member { id email permissions organization { slug } } }
}`;

describeGateway({ engine: "any" }, (gateway, engine) => {
  const ask = (query: string, token: string | null) => gateway.graphql(query, {}, { token });
  const signInAs = (email: string, password: string) =>
    gateway.graphql(SIGN_IN, { input: { email, password } }, { token: null });
  /** Returns the error code for a session. */
  const stateOf = async (token: string) => codeOf(await ask("{ viewer { id } }", token)) ?? "alive";

  test("a member signs in with e-mail address and password and learns when the session ends", async () => {
    const { id, email, password } = await addMember(gateway, { manage: true });
    const { signIn } = (await signInAs(email, password)).body.data;
    expect(signIn.member).toEqual({
      id,
      email,
      permissions: ["config_manage"],
      organization: { slug: "first" },
    });
    expect(signIn.token).toMatch(/^ags_[0-9A-Za-z]{49}$/);
    expect(Date.parse(signIn.expiresAt)).toBeGreaterThan(Date.now());
    expect(await stateOf(signIn.token)).toBe("alive");
  });

  test("the case of an e-mail address and spaces around it do not matter", async () => {
    const { password } = await addMember(gateway, { email: "Mixed.Case@Example.com" });
    const { signIn } = (await signInAs("  mIXED.cASE@eXAMPLE.com ", password)).body.data;
    expect(signIn.member.email).toBe("mixed.case@example.com");
    await expect(addMember(gateway, { email: "MIXED.case@example.com" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test.each(["nul\0@example.com", "\ud800@example.com", "", "' OR 1=1 --", `${"x".repeat(242)}@example.com`])(
    "the address %j is rejected like any unknown address",
    async (email) => {
      expect(codeOf(await signInAs(email, "whatever"))).toBe("invalid_credentials");
    },
  );

  test("signing out ends this session and no other", async () => {
    const { id, token, ...credentials } = await addMember(gateway);
    const other = await openSession(gateway, credentials);
    expect((await ask("mutation { signOut { wasActive } }", token)).body).toEqual({
      data: { signOut: { wasActive: true } },
    });
    expect(await stateOf(token)).toBe("invalid_session");
    expect(await stateOf(other)).toBe("alive");
    expect(await actionsOn(gateway, id)).toContain("member_signed_out");
  });

  test("signing out everywhere ends all sessions of the member and no other member's", async () => {
    const { id, token, ...credentials } = await addMember(gateway);
    const second = await openSession(gateway, credentials);
    const { body } = await ask("mutation { signOutEverywhere { endedSessions } }", second);
    expect(body).toEqual({ data: { signOutEverywhere: { endedSessions: 2 } } });
    expect([await stateOf(token), await stateOf(second)]).toEqual(["invalid_session", "invalid_session"]);
    expect(await stateOf(gateway.owner)).toBe("alive");
    expect((await actionsOn(gateway, id)).at(-1)).toBe("member_signed_out_everywhere");
  });

  test("a sign-in link's token is no session, and signing out everywhere ends the link", async () => {
    const { services, url } = gateway;
    const { email, token } = await addMember(gateway);
    const link = await services.sessions.createLink(
      await operator(gateway),
      await services.members.byEmail(email),
    );
    expect(await stateOf(link)).toBe("invalid_session");
    await ask("mutation { signOutEverywhere { endedSessions } }", token);
    const opened = await fetch(`${url}/auth/link/${link}`, { method: "POST", redirect: "manual" });
    expect(opened.status).toBe(401);
  });

  test("a session expires from the next request on, and is deleted later", async () => {
    const { id, token } = await addMember(gateway);
    const { database } = gateway.services;
    await database.write((tx) => tx.update(Session, { memberId: id }, { expiresAt: timestamp(-1) }));
    const reply = await ask("{ viewer { id } }", token);
    expect([reply.status, codeOf(reply)]).toEqual([401, "invalid_session"]);
    await purge(database);
    expect(await database.read((reader) => reader.countBy(Session, { memberId: id }))).toBe(0);
    expect(await stateOf(gateway.owner)).toBe("alive");
  });

  test("an invented, mistyped or truncated token is not a session", async () => {
    const { token } = await addMember(gateway);
    for (const bad of [
      `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`,
      token.slice(0, -1),
      "ags_",
    ]) {
      expect(await stateOf(bad)).toBe("invalid_session");
    }
  });

  if (engine.name !== "PostgreSQL") return;

  test.each(["the password is reset", "an operator ends all sessions"])(
    "a sign-in link that is opened while %s leaves no session",
    async (what) => {
      const { database, members, sessions } = gateway.services;
      const { id: memberId, email } = await addMember(gateway);
      const [context, member] = [await operator(gateway), await members.byEmail(email)];
      const changes: Promise<unknown>[] = [];
      let isOpened = false;
      await database.write(async (tx) => {
        // The sessions end in the order of their creation, so the change waits before it ends the link.
        await tx.lock(tx.createQueryBuilder(Session, "session").where({ memberId })).getMany();
        const link = await sessions.createLink(context, member);
        changes.push(
          what === "the password is reset"
            ? sessions.setPassword(context, member, "another password for tests")
            : sessions.endAll(context, member),
        );
        await waitUntil(async () => (await lockWaits(gateway)) === 1);
        const opening = sessions.openByLink(context, link).then(() => {
          isOpened = true;
        });
        changes.push(expect(opening).rejects.toMatchObject({ code: "invalid_session" }));
        await waitUntil(async () => isOpened || (await lockWaits(gateway)) === 2);
      });
      await Promise.all(changes);
      expect(await database.read((reader) => reader.countBy(Session, { memberId }))).toBe(0);
    },
  );
});
