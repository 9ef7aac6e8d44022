import { Permission } from "../../src/auth/permissions";
import { Member } from "../../src/features/members/member.entity";
import { Session } from "../../src/features/members/session.entity";
import { actionsOn } from "../support/audit";
import { onOneEngine, type TestDatabase, type TestEngine } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { FollowingBrowser, type OpenIdProvider, startOpenIdProvider } from "../support/openid-provider";
import { storePasskey } from "../support/passkeys";
import { addMember, codeOf, invite, openSession } from "../support/people";
import { slowTest } from "../support/slow-test";

const BASE = "http://gateway.example.com";
const CALLBACK = `${BASE}/auth/oidc/callback`;
const CLIENT = { client_id: "gateway", client_secret: "a secret of tests only, long enough" };
const VIEWER = "{ viewer { id email permissions identity { issuer subject } } }";

const verified = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { email: `${name}@example.com`, email_verified: true }]));
const ACCOUNTS = {
  ...verified("bob", "dan", "fay", "ivy", "gil", "jo", "kay", "lou", "mia", "ned"),
  ada: { email: "Ada@Example.com", email_verified: true, groups: ["admins", "others"] },
  cleo: { email: "cleo@example.com", email_verified: true, groups: ["support"] },
  eve: { email: "eve@example.com", email_verified: false },
};

onOneEngine((engine) => {
  let provider: OpenIdProvider;
  let database: TestDatabase;
  let gateway: TestGateway;
  let other: TestGateway;
  let env: Record<string, string>;

  beforeAll(async () => {
    provider = await startOpenIdProvider();
    database = await engine.createMigratedDatabase();
    env = {
      PUBLIC_URL: BASE,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_NAME: "Example",
    };
    gateway = await startGateway(engine, { database, env });
    other = await startGateway(engine, {
      database,
      env: {
        ...env,
        OIDC_ONLY: "true",
        OIDC_PERMISSIONS_CLAIM: "groups",
        OIDC_PERMISSIONS: "admins=config:manage, support=conversations:read, support=conversations:write",
      },
      signInOwner: false,
    });
    await provider.configure(
      {
        ...CLIENT,
        redirect_uris: [CALLBACK],
        backchannel_logout_uri: `${gateway.url}/auth/oidc/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
      ACCOUNTS,
    );
  });
  afterAll(async () => {
    for (const each of [gateway, other, provider]) await each?.close();
    await database.drop();
  });

  /** Signs in with an account; `to` is the address that the gateway redirects to, if any. */
  const signIn = async (
    account: string,
    { at = gateway, returnTo = "", browser = new FollowingBrowser(account), more = {} } = {},
  ) => {
    const query = new URLSearchParams({ returnTo, ...more });
    const callback = await browser.follow(`${at.url}/auth/oidc/start?${query}`, CALLBACK);
    const response = await browser.send(callback.replace(BASE, at.url));
    return {
      browser,
      callback,
      status: response.status,
      to: response.headers.get("location"),
      text: await response.text(),
      cookies: response.headers.getSetCookie(),
      token: browser.cookies.get(`${at.url} gateway_session`) ?? "",
    };
  };
  const viewerOf = async (token: string, at = gateway) =>
    (await at.graphql(VIEWER, {}, { token })).body.data.viewer;
  const stateOf = async (token: string, at = gateway) =>
    codeOf(await at.graphql("{ viewer { id } }", {}, { token })) ?? "alive";

  test("the first sign-in links the account whose verified address is the member's", async () => {
    const { id, email } = await addMember(gateway, { email: "ada@example.com" });
    const { token, status, to, cookies } = await signIn("ada", { returnTo: "/dashboard/keys?state=active" });
    expect([status, to]).toEqual([303, "/dashboard/keys?state=active"]);
    expect(cookies).toEqual([
      expect.stringMatching(/^gateway_oidc=; Max-Age=0; Path=\/auth\/oidc; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^gateway_session=ags_\w{49}; Max-Age=\d+; Path=\/graphql; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(await viewerOf(token)).toEqual({
      id,
      email,
      permissions: [],
      identity: { issuer: provider.issuer, subject: "ada" },
    });
    expect(await actionsOn(gateway, id)).toEqual([
      "member_created",
      "member_signed_in",
      "member_identity_linked",
      "member_signed_in",
    ]);
  });

  test("after linking, the account identifies the member, not its address", async () => {
    const { id } = await addMember(gateway, { email: "bob@example.com" });
    expect((await viewerOf((await signIn("bob")).token)).id).toBe(id);
    await gateway.services.database.write((tx) =>
      tx.query("update member set email = 'robert@example.com' where id = $1", [id]),
    );
    const stranger = await addMember(gateway, { email: "bob@example.com" });
    expect((await viewerOf((await signIn("bob")).token)).id).toBe(id);
    await gateway.services.members.remove(await contextOfOwner(), id);
    expect((await viewerOf((await signIn("bob")).token)).id).toBe(stranger.id);
  });

  const contextOfOwner = async () => ({
    caller: await gateway.services.sessions.resolve(gateway.owner, { ip: null }),
    origin: { ip: null, userAgent: null, requestId: null },
  });

  test("an invited person becomes a member with the permissions of the invitation", async () => {
    await invite(gateway, { email: "cleo@example.com", permissions: [Permission.conversations_read] });
    const { token } = await signIn("cleo");
    expect(await viewerOf(token)).toMatchObject({
      email: "cleo@example.com",
      permissions: ["conversations_read"],
    });
    expect(await gateway.services.invitations.list(await contextOfOwner())).toEqual([]);
  });

  test("a sign-in from an invitation accepts this one, and leads to no other organization", async () => {
    await gateway.services.organizations.create({ slug: "later", name: "Later" });
    const inviteTo = async (org: string, name: string) =>
      (await invite(gateway, { org, email: `${name}@example.com` })).invitation.id;
    const accept = (account: string, invitation: string) => signIn(account, { more: { invitation } });
    const slugOf = async (token: string) =>
      (await gateway.graphql("{ viewer { organization { slug } } }", {}, { token })).body.data.viewer
        .organization.slug;
    const chosen = await inviteTo("first", "kay");
    const later = await inviteTo("later", "kay");
    const toAnother = await accept("lou", chosen);
    expect([toAnother.status, toAnother.token]).toEqual([403, ""]);
    expect(toAnother.text).toContain(`/auth/oidc/start?returnTo=%2Fdashboard&amp;invitation=${chosen}"`);
    expect(await slugOf((await accept("kay", chosen)).token)).toBe("first");
    const taken = await accept("kay", later);
    expect([taken.status, taken.token]).toEqual([409, ""]);
    expect(taken.text).toContain("You already have an account");
    await addMember(gateway, { email: "lou@example.com" });
    expect((await accept("lou", await inviteTo("later", "lou"))).status).toBe(409);
    expect(await slugOf((await accept("kay", chosen)).token)).toBe("first");
    expect((await viewerOf((await signIn("lou")).token)).identity.subject).toBe("lou");
    for (const invalid of ["", "x", `${chosen}\0`]) {
      const query = new URLSearchParams({ invitation: invalid });
      expect((await new FollowingBrowser("").send(`${gateway.url}/auth/oidc/start?${query}`)).status).toBe(
        403,
      );
    }
  });

  test.each([
    ["mia", "a password", ["member_password_removed"]],
    ["ned", "no password", []],
  ])(
    "%s, a member with %s who accepts an invitation with an account, has not changed the password",
    async (name, has, expected) => {
      const { id, email } = await addMember(gateway, { email: `${name}@example.com` });
      // Such an address does not lead the account to its member.
      const changes = { isEmailSelfChosen: true, ...(has === "no password" && { passwordHash: "" }) };
      await gateway.services.database.write((tx) => tx.update(Member, { id }, changes));
      await invite(other, { email });
      expect((await viewerOf((await signIn(name, { at: other })).token, other)).id).toBe(id);
      const actions = await actionsOn(gateway, id);
      expect(actions.filter((action) => action.includes("password"))).toEqual(expected);
    },
  );

  test("groups decide about permissions at each sign-in, but the last manager stays one", async () => {
    const { id } = await addMember(gateway, {
      email: "dan@example.com",
      permissions: [Permission.config_manage],
    });
    expect((await viewerOf((await signIn("cleo", { at: other })).token)).permissions).toEqual([
      "conversations_read",
      "conversations_write",
    ]);
    expect((await viewerOf((await signIn("ada", { at: other })).token)).permissions).toEqual([
      "config_manage",
    ]);
    expect((await viewerOf((await signIn("dan", { at: other })).token)).permissions).toEqual([]);
    expect(await actionsOn(gateway, id)).toContain("member_permissions_changed");
    await gateway.services.organizations.create({ slug: "single", name: "Single" });
    await addMember(gateway, { org: "single", email: "ivy@example.com", manage: true });
    expect((await viewerOf((await signIn("ivy", { at: other })).token)).permissions).toEqual([
      "config_manage",
    ]);
  });

  test("the issuer's back-channel logout ends the session in every process, and no other", async () => {
    await addMember(gateway, { email: "fay@example.com" });
    const { token, browser } = await signIn("fay");
    const elsewhere = await signIn("fay");
    const byPassword = await openSession(gateway, {
      email: "fay@example.com",
      password: "a password for tests only",
    });
    const page = await (await browser.send(`${provider.issuer}/session/end?client_id=gateway`)).text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
    await browser.send(`${provider.issuer}/session/end/confirm`, {
      method: "POST",
      body: new URLSearchParams({ xsrf, logout: "yes" }),
    });
    expect(await Promise.all([gateway, other].map((at) => stateOf(token, at)))).toEqual([
      "invalid_session",
      "invalid_session",
    ]);
    expect([await stateOf(elsewhere.token), await stateOf(byPassword)]).toEqual(["alive", "alive"]);
    const { id } = await viewerOf(byPassword);
    expect(await actionsOn(gateway, id)).toContain("member_signed_out_by_issuer");
  });

  test("a manager unlinks an account, which ends its sessions", async () => {
    const member = await addMember(gateway, { email: "gil@example.com" });
    const { token } = await signIn("gil");
    const unlink = (by: string) =>
      gateway.graphql(
        "mutation ($input: UnlinkIdentityInput!) { unlinkIdentity(input: $input) { identity { subject } } }",
        { input: { memberId: member.id } },
        { token: by },
      );
    expect(codeOf(await unlink(member.token))).toBe("forbidden");
    expect((await unlink(gateway.owner)).body.data.unlinkIdentity).toEqual({ identity: null });
    expect([await stateOf(token), await stateOf(member.token)]).toEqual(["invalid_session", "alive"]);
    expect(codeOf(await unlink(gateway.owner))).toBe("not_found");
    expect((await viewerOf((await signIn("gil")).token)).identity.subject).toBe("gil");
  });

  test("methods that OIDC_ONLY turns off and accounts at an earlier issuer do not count as ways to sign in", async () => {
    const moved = await startGateway(engine, {
      database,
      env: { ...env, OIDC_ISSUER: "http://127.0.0.1:9" },
      signInOwner: false,
    });
    try {
      const { id, email } = await addMember(gateway, { email: "jo@example.com", manage: true });
      const { token } = await signIn("jo");
      const passkey = await storePasskey(gateway, id);
      await gateway.services.database.write((tx) => tx.update(Member, { id }, { passwordHash: "" }));
      const isCurrent = async (at: TestGateway) =>
        (await at.graphql("{ viewer { identity { isCurrent } } }", {}, { token })).body.data.viewer.identity
          .isCurrent;
      expect([await isCurrent(gateway), await isCurrent(moved)]).toEqual([true, false]);
      const ask = async (at: TestGateway, document: string) =>
        codeOf(await at.graphql(document, {}, { token }));
      const removePasskey = `mutation { removePasskey(input: { id: "${passkey}" }) { id } }`;
      const unlink = `mutation { unlinkIdentity(input: { memberId: "${id}" }) { id } }`;
      expect(await ask(moved, removePasskey)).toBe("conflict");
      expect(await ask(other, unlink)).toBe("conflict");
      expect(await ask(gateway, removePasskey)).toBeUndefined();
      expect(await ask(gateway, unlink)).toBe("conflict");
      const invitation = { email, permissions: [] };
      const context = await contextOfOwner();
      await expect(gateway.services.invitations.invite(context, invitation)).rejects.toMatchObject({
        code: "conflict",
      });
      await expect(moved.services.invitations.invite(context, invitation)).resolves.toBeDefined();
      expect(await ask(moved, unlink)).toBeUndefined();
    } finally {
      await moved.close();
    }
  });

  test.each([
    ["eve", 403, "No member or invitation has this account or its verified e-mail address."],
    ["nobody", 401, "The sign-in was canceled."],
  ])("a page tells %s in plain words why the sign-in failed", async (account, status, words) => {
    await addMember(gateway, { email: `${account}@example.com` });
    const answer = await signIn(account);
    expect([answer.status, answer.token]).toEqual([status, ""]);
    expect(answer.text).toContain(words);
    expect(answer.text).toContain("Sign in with Example");
    expect(answer.text).not.toContain("own words");
  });

  test("with OIDC_ONLY, passwords, passkeys and invitations with a password are off, and a command-line link works once", async () => {
    const credentials = gateway.ownerCredentials;
    const { link } = await invite(gateway, { email: "hal@example.com" });
    const token = link.slice(link.indexOf("#") + 1);
    for (const [document, input] of [
      ["mutation ($input: SignInInput!) { signIn(input: $input) { token } }", credentials],
      ["mutation { startPasskeySignIn(input: {}) { expiresAt } }"],
      [
        "mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { token } }",
        { token, password: "a password for tests only" },
      ],
    ] as const) {
      const reply = await other.graphql(document, { input }, { token: null });
      expect([document, codeOf(reply)]).toEqual([document, "forbidden"]);
      const message = "Passwords and passkeys are disabled. Sign in with Example.";
      if (input === credentials) expect(reply.body.errors[0].message).toBe(message);
    }
    const options = await other.graphql("{ signInOptions { password issuerName } }", {}, { token: null });
    expect(options.body.data.signInOptions).toEqual({ password: false, issuerName: "Example" });

    const member = await other.services.members.byEmail(credentials.email);
    const oneTime = await other.services.sessions.createLink(await contextOfOwner(), member);
    const open = (headers: Record<string, string> = {}) =>
      new FollowingBrowser("").send(`${other.url}/auth/link/${oneTime}`, { method: "POST", headers });
    const asking = await new FollowingBrowser("").send(`${other.url}/auth/link/${oneTime}`);
    // With "no-referrer", a browser's form would have the origin "null".
    expect([asking.status, asking.headers.get("referrer-policy")]).toEqual([200, "origin"]);
    expect((await open({ origin: "https://elsewhere.example.com" })).status).toBe(403);
    const opened = await open({ origin: BASE, "sec-fetch-site": "same-origin" });
    expect([opened.status, opened.headers.get("location")]).toEqual([303, "/dashboard"]);
    const [, session = ""] = /gateway_session=(\w+)/.exec(opened.headers.get("set-cookie") ?? "") ?? [];
    expect((await viewerOf(session, other)).email).toBe(credentials.email);
    expect([(await open()).status, await stateOf(oneTime, other)]).toEqual([401, "invalid_session"]);
    const [row] = await gateway.services.database.read((reader) =>
      reader.findBy(Session, { memberId: member.id }),
    );
    expect(row?.oidcSession).toBeNull();
  });

  slowTest("while the issuer is down, a page says so, and passwords work", async () => {
    const down = await startDown(engine, env);
    try {
      const path = "/auth/oidc/start?invitation=01a1fcd2-254e-77bb-8319-2e26d1494ad2";
      const start = await down.rest("GET", path, { token: null });
      expect([start.status, start.headers.get("location")]).toEqual([503, null]);
      expect(start.text).toContain("The sign-in service is not responding");
      expect(start.text).toContain(`<a href="${path}">Sign in with Example</a>`);
      expect(start.text).toContain('<a href="/dashboard">with a password</a>');
      expect(down.owner).toMatch(/^ags_/);
      const logout = await down.rest("POST", "/auth/oidc/backchannel-logout", {
        token: null,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "logout_token=x",
      });
      expect(logout.status).toBe(503);
    } finally {
      await down.close();
    }
  });
});

const startDown = (engine: TestEngine, env: Record<string, string>) =>
  startGateway(engine, { env: { ...env, OIDC_ISSUER: "http://127.0.0.1:9" } });
