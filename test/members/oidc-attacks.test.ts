import { EntityManager } from "typeorm";
import { timestamp } from "../../src/common/time";
import { Member } from "../../src/features/members/member.entity";
import { dashboardPath } from "../../src/features/oidc/attempts";
import { onOneEngine } from "../support/engines";
import { type Forgery, ForgingIssuer, jwt, strangersPair } from "../support/forging-issuer";
import { startGateway, type TestGateway } from "../support/gateway";
import { FollowingBrowser } from "../support/openid-provider";
import { SIGN_IN_WITH_PASSKEY } from "../support/passkeys";
import { addMember, addOrganization, codeOf, invite, type TestMember } from "../support/people";

const BASE = "http://gateway.example.com";
const SESSION = "gateway_session";

onOneEngine((engine) => {
  let issuer: ForgingIssuer;
  let gateway: TestGateway;
  let victim: TestMember;
  let attacker: TestMember;

  beforeAll(async () => {
    issuer = await ForgingIssuer.start();
    gateway = await startGateway(engine, {
      env: {
        PUBLIC_URL: BASE,
        OIDC_ISSUER: issuer.url,
        OIDC_CLIENT_ID: "gateway",
        OIDC_CLIENT_SECRET: "a secret of tests only, long enough",
      },
    });
    victim = await addMember(gateway, { email: "victim@example.com" });
    attacker = await addMember(gateway, { email: "attacker@example.com" });
    for (const sub of ["victim", "attacker"])
      expect((await finish(await begin(), await asked(sub))).status).toBe(303);
  });
  afterAll(async () => {
    for (const each of [gateway, issuer]) await each?.close();
  });
  beforeEach(() => {
    issuer.forgery = {};
  });

  let authorization = "";
  /** Starts a sign-in in a browser. */
  const begin = async (browser = new FollowingBrowser(""), returnTo = "", again = {}) => {
    const query = new URLSearchParams({ returnTo, ...again });
    const response = await browser.send(`${gateway.url}/auth/oidc/start?${query}`);
    authorization = response.headers.get("location") ?? "";
    return browser;
  };
  /** Returns the issuer's response to the last sign-in that was started. */
  const asked = async (sub: string, more: Record<string, unknown> = {}, to = authorization) =>
    issuer.answerTo(to, { sub, email: `${sub}@example.com`, email_verified: true, ...more });
  const finish = async (
    browser: FollowingBrowser,
    query: URLSearchParams,
    headers: Record<string, string> = {},
  ) => {
    const response = await browser.send(`${gateway.url}/auth/oidc/callback?${query}`, { headers });
    return {
      status: response.status,
      to: response.headers.get("location"),
      token: sessionIn(browser),
      text: await response.text(),
    };
  };
  const sessionIn = (browser: FollowingBrowser) => browser.cookies.get(`${gateway.url} ${SESSION}`);
  const viewerOf = async (token: string) =>
    (await gateway.graphql("{ viewer { email } }", {}, { token })).body.data?.viewer?.email;
  const with_ = (query: URLSearchParams, change: Record<string, string>) => {
    const changed = new URLSearchParams(query);
    for (const [name, value] of Object.entries(change)) changed.set(name, value);
    return changed;
  };
  const forged = (forgery: Forgery) => async () => {
    issuer.forgery = forgery;
    return finish(await begin(), await asked("victim"));
  };

  const replayed = async (inBetween: (state: string) => Promise<unknown>) => {
    const browser = await begin();
    const stolen = new Map(browser.cookies);
    const query = await asked("victim");
    expect((await finish(browser, query)).status).toBe(303);
    await inBetween(query.get("state") ?? "");
    const thief = new FollowingBrowser("");
    for (const [name, value] of stolen) thief.cookies.set(name, value);
    return finish(thief, query);
  };

  /** Each returns the response to the attacker, who must not get a session of the victim. */
  const ATTACKS: Record<string, () => Promise<{ status: number; token: string | undefined }>> = {
    "another state": async () =>
      finish(await begin(), with_(await asked("victim"), { state: "x".repeat(43) })),
    "no state": async () => {
      const browser = await begin();
      const query = await asked("victim");
      query.delete("state");
      return finish(browser, query);
    },
    "another nonce, as in a stolen ID token": forged({ claims: { nonce: "stolen" } }),
    "no nonce": forged({ claims: { nonce: undefined } }),
    "mix-up: a response in the name of another issuer": async () =>
      finish(await begin(), with_(await asked("victim"), { iss: "https://other.example.com" })),
    "mix-up: a response that names no issuer": async () => {
      const browser = await begin();
      const query = await asked("victim");
      query.delete("iss");
      return finish(browser, query);
    },
    "an ID token of another issuer": forged({ claims: { iss: "https://other.example.com" } }),
    "an ID token for another client": forged({ claims: { aud: "other" } }),
    "an ID token that has expired": forged({ claims: { exp: 1 } }),
    "a replayed code, with the cookie of its browser": () => replayed(async () => undefined),
    "a replayed code, after a passkey sign-in with the challenge that marks it as used": () =>
      replayed((state) => {
        const challenge = JSON.stringify({ challenge: `oidc sign-in ${state}` });
        const clientDataJSON = Buffer.from(challenge).toString("base64url");
        const input = { credentialId: "x", clientDataJSON, authenticatorData: "x", signature: "x" };
        return gateway.graphql(SIGN_IN_WITH_PASSKEY, { input }, { token: null });
      }),
    "the victim's code in an attempt of the attacker (PKCE)": async () => {
      await begin();
      const query = await asked("victim");
      const thief = await begin();
      const { state } = Object.fromEntries(new URL(authorization).searchParams);
      return finish(thief, with_(query, { state: state ?? "" }));
    },
    "an unverified address": async () =>
      finish(await begin(), await asked("stranger", { email: "owner@example.com", email_verified: false })),
    "an address whose verification is a text": async () =>
      finish(await begin(), await asked("stranger", { email: "owner@example.com", email_verified: "true" })),
    "an address with a letter that has the same lowercase as another one": async () => {
      await addMember(gateway, { email: "kim@example.com" });
      return finish(await begin(), await asked("stranger", { email: "\u212aim@example.com" }));
    },
    "another account with the address of a linked member": async () =>
      finish(await begin(), await asked("stranger", { email: "victim@example.com" })),
    "fixation: a session that the attacker chose": async () => {
      const browser = await begin();
      browser.cookies.set(`${gateway.url} ${SESSION}`, attacker.token);
      const { token, status } = await finish(browser, await asked("victim"));
      expect([status, token === attacker.token]).toEqual([303, false]);
      expect(await viewerOf(attacker.token)).toBe("attacker@example.com");
      return { status: 400, token: undefined };
    },
    "CSRF: the victim's browser is sent to the attacker's callback": async () => {
      await begin();
      const query = await asked("attacker");
      return finish(new FollowingBrowser(""), query);
    },
    "CSRF: the same, while the victim signs in": async () => {
      await begin();
      const query = await asked("attacker");
      return finish(await begin(), query);
    },
    "algorithm confusion: none": forged({ header: { alg: "none" }, key: null }),
    "algorithm confusion: HS256 with the public key": forged({
      header: { alg: "HS256" },
      withPublicKey: true,
    }),
    "somebody else's key": forged({ key: strangersPair.privateKey }),
    "an unknown key": forged({ header: { kid: "unknown" }, key: strangersPair.privateKey }),
    "a key in the token": forged({
      header: { kid: undefined, jwk: strangersPair.publicKey.export({ format: "jwk" }) },
      key: strangersPair.privateKey,
    }),
    "an altered cookie": async () => {
      const browser = await begin();
      for (const [name, value] of browser.cookies) browser.cookies.set(name, `${value.slice(0, -4)}AAAA`);
      return finish(browser, await asked("victim"));
    },
    "a late callback": async () => {
      const browser = await begin();
      const query = await asked("victim");
      const now = Date.now();
      const clock = jest.spyOn(Date, "now").mockReturnValue(now + 11 * 60_000);
      try {
        return await finish(browser, query);
      } finally {
        clock.mockRestore();
      }
    },
  };

  test.each(Object.entries(ATTACKS))("%s opens no session", async (_, attack) => {
    const { status, token } = await attack();
    expect([400, 401, 403]).toContain(status);
    expect(token).toBeUndefined();
  });

  test("an address that a member gave themselves links no account, with or without an invitation of its owner", async () => {
    const email = "newcomer@example.com";
    const squatter = await addMember(gateway);
    const viewer = "{ viewer { identity { subject } } }";
    const change = `mutation { changeEmail(input: { email: "${email}" }) { email } }`;
    expect(codeOf(await gateway.graphql(change, {}, squatter))).toBeUndefined();
    const signIn = async () => finish(await begin(), await asked("newcomer"));
    expect(await signIn()).toMatchObject({ status: 403, token: undefined });
    await addOrganization(gateway, "inviting");
    await invite(gateway, { org: "inviting", email });
    const invited = await signIn();
    expect(invited).toMatchObject({ status: 409, token: undefined });
    expect(invited.text).toContain("already belongs to a member");
    expect((await gateway.graphql(viewer, {}, squatter)).body.data.viewer.identity).toBeNull();
    // A manager who invites a member without a way to sign in vouches for the address.
    const { database } = gateway.services;
    await database.write((tx) => tx.update(Member, { id: squatter.id }, { passwordHash: "" }));
    const { invitation } = await invite(gateway, { email });
    const back = await finish(
      await begin(undefined, "", { invitation: invitation.id }),
      await asked("newcomer"),
    );
    expect(back.status).toBe(303);
    expect(await viewerOf(squatter.token)).toBeUndefined();
    expect(await signIn()).toMatchObject({ status: 303 });
  });

  test.each([
    ["/dashboard", "/dashboard"],
    ["/dashboard/keys?q=%2F%2F#part", "/dashboard/keys?q=%2F%2F"],
    ["https://evil.example.com/dashboard", "/dashboard"],
    ["//evil.example.com/dashboard", "/dashboard"],
    ["/\\evil.example.com/dashboard", "/dashboard"],
    ["/dashboard/../graphql", "/dashboard"],
    ["/dashboard/..//evil.example.com", "/dashboard"],
    ["/dashboard//evil.example.com", "/dashboard"],
    ["/dashboards", "/dashboard"],
    ["javascript:alert(1)", "/dashboard"],
    ["/dash\tboard/keys\r\nSet-Cookie: a=b", "/dashboard/keysSet-Cookie:%20a=b"],
    ["/dashboard@evil.example.com", "/dashboard"],
    [`/dashboard/${"x".repeat(1000)}`, "/dashboard"],
    [["/dashboard/a", "/dashboard/b"], "/dashboard"],
  ])("a sign-in that should return to %j leads to %s", async (returnTo, to) => {
    expect(dashboardPath(returnTo)).toBe(to);
    if (typeof returnTo !== "string") return;
    const { to: location } = await finish(await begin(undefined, returnTo), await asked("victim"));
    expect(location).toBe(to);
  });

  describe("an issuer that should authenticate the person again", () => {
    const to = "/dashboard/signed-in";
    const secondsAgo = (seconds: number) => ({ auth_time: Math.floor(Date.now() / 1000) - seconds });
    const how = () => {
      const { max_age, prompt } = Object.fromEntries(new URL(authorization).searchParams);
      return [max_age, prompt];
    };

    test("is asked with max_age, and with prompt=login if that was ignored", async () => {
      const browser = await begin(undefined, to, { again: "" });
      expect(how()).toEqual(["0", undefined]);
      const ignored = await finish(browser, await asked("victim", secondsAgo(16 * 60)));
      expect([ignored.status, ignored.to, ignored.token]).toEqual([
        303,
        "/auth/oidc/start?again=login&returnTo=%2Fdashboard%2Fsigned-in",
        undefined,
      ]);
      await begin(browser, to, { again: "login" });
      expect(how()).toEqual(["0", "login"]);
      const obeyed = await finish(browser, await asked("victim", secondsAgo(1)));
      expect([obeyed.status, obeyed.to]).toEqual([303, to]);
    });

    test.each<[string, () => Promise<URLSearchParams>]>([
      ["ignores both", () => asked("victim", secondsAgo(16 * 60))],
      [
        "cannot",
        async () => {
          const query = with_(await asked("victim"), { error: "login_required" });
          query.delete("code");
          return query;
        },
      ],
    ])("that %s opens no session, and a page says why", async (_, query) => {
      const browser = await begin(undefined, to, { again: "login" });
      const { status, token, text } = await finish(browser, await query());
      expect([status, token]).toEqual([403, undefined]);
      expect(text).toContain("You were not asked to sign in again");
      expect(text).toContain('href="/auth/oidc/start?again=login&amp;returnTo=%2Fdashboard%2Fsigned-in"');
    });

    test("is not asked for an ordinary sign-in, which needs only a session there", async () => {
      const browser = await begin();
      expect(how()).toEqual([undefined, undefined]);
      expect((await finish(browser, await asked("victim", secondsAgo(16 * 60)))).status).toBe(303);
    });
  });

  test("a stolen cookie of an attempt is useless without the issuer's response, and reveals nothing of it", async () => {
    const [value = ""] = (await begin()).cookies.values();
    const { state, nonce } = Object.fromEntries(new URL(authorization).searchParams);
    const text = Buffer.from(decodeURIComponent(value).split(".")[1] ?? "", "base64").toString("latin1");
    expect(text).not.toContain(state);
    expect(text).not.toContain(nonce);
  });

  test("an unknown key makes the gateway request the keys at most once per minute", async () => {
    issuer.asked.length = 0;
    issuer.forgery = { header: { kid: "unknown" } };
    for (let i = 0; i < 5; i++) expect((await finish(await begin(), await asked("victim"))).status).toBe(401);
    expect(issuer.asked.filter((url) => url === "/keys").length).toBeLessThanOrEqual(1);
    expect(issuer.asked.filter((url) => url.includes("openid-configuration"))).toEqual([]);
  });

  describe("back-channel logout", () => {
    const EVENT = "http://schemas.openid.net/event/backchannel-logout";
    let session = "";
    beforeAll(async () => {
      issuer.forgery = {};
      const browser = await begin();
      session = (await finish(browser, await asked("victim", { sid: "s1" }))).token ?? "";
    });
    const logout = async (more: object, forgery: Forgery = {}) =>
      gateway.rest("POST", "/auth/oidc/backchannel-logout", {
        token: null,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `logout_token=${jwt(
          issuer.claims({
            jti: `${Math.random()}`,
            sub: "victim",
            sid: "s1",
            events: { [EVENT]: {} },
            ...more,
          }),
          { header: { typ: "logout+jwt" }, ...forgery },
        )}`,
      });
    const isAlive = async () => (await viewerOf(session)) === "victim@example.com";

    test.each<[string, object, Forgery?]>([
      ["another issuer", { iss: "https://other.example.com" }],
      ["another audience", { aud: "other" }],
      ["no time of issue", { iat: undefined }],
      ["an old time of issue", { iat: 1 }],
      ["no event", { events: {} }],
      ["an event that is a text", { events: { [EVENT]: "" } }],
      ["a nonce, as an ID token", { nonce: "n" }],
      ["no identifier", { jti: undefined }],
      ["neither subject nor session", { sub: undefined, sid: undefined }],
      ["somebody else's key", {}, { key: strangersPair.privateKey }],
      ["the algorithm none", {}, { header: { alg: "none" }, key: null }],
      ["HS256 with the public key", {}, { header: { alg: "HS256" }, withPublicKey: true }],
      ["the type of an access token", {}, { header: { typ: "at+jwt" } }],
    ])("a token with %s is rejected", async (_, more, forgery = {}) => {
      const reply = await logout(more, forgery);
      expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
      expect(await isAlive()).toBe(true);
    });

    test("a token for another session, or for another subject of this session, ends nothing", async () => {
      expect((await logout({ sid: "s2" })).status).toBe(200);
      expect((await logout({ sub: "attacker" })).status).toBe(200);
      expect((await logout({ sub: undefined, sid: "s2" })).status).toBe(200);
      expect(await isAlive()).toBe(true);
    });

    test("a token ends the sessions of its subject from the next request on, and works once", async () => {
      const first = await logout({ jti: "once", sid: undefined });
      expect([first.status, first.text]).toEqual([200, ""]);
      expect(await isAlive()).toBe(false);
      expect(await viewerOf(victim.token)).toBe("victim@example.com");
      expect((await logout({ jti: "once" })).status).toBe(400);
    });

    test("a token for a session that has ended reads no accounts", async () => {
      const reads = jest.spyOn(EntityManager.prototype, "findBy");
      try {
        expect((await logout({ sub: undefined, sid: "ended" })).status).toBe(200);
        const results = await Promise.all(reads.mock.results.map(({ value }) => value));
        expect(results).toEqual([[], []]);
      } finally {
        reads.mockRestore();
      }
    });

    test("a session without a subject is enough", async () => {
      session = (await finish(await begin(), await asked("victim", { sid: "s3" }))).token ?? "";
      expect(await isAlive()).toBe(true);
      expect((await logout({ sub: undefined, sid: "s3" })).status).toBe(200);
      expect(await isAlive()).toBe(false);
    });
  });

  test("used tokens are forgotten when they would be rejected anyway", async () => {
    const rows = await gateway.services.database.read((reader) => reader.query("select * from single_use"));
    expect(rows.length).toBeGreaterThan(0);
    for (const { expires_at: end } of rows) expect(end < timestamp(20 * 60_000)).toBe(true);
  });
});
