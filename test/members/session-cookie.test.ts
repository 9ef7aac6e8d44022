import { parseSetCookie } from "cookie";
import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { type Browser, openBrowser } from "../support/browser";
import type { Reply } from "../support/gateway";
import { addMember, codeOf, openSession, type TestMember } from "../support/people";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const VIEWER = "{ viewer { email } }";

describeGateway({ engine: "one" }, (gateway) => {
  let member: TestMember;
  let browser: Browser;
  beforeEach(async () => {
    member = await addMember(gateway, { manage: true });
    browser = openBrowser(gateway);
  });

  const cookiesOf = ({ headers }: Reply) => headers.getSetCookie().map((line) => parseSetCookie(line));
  const tokenIn = (cookie: string | undefined) => cookie?.split("=")[1] ?? "";
  /** Returns the email of the signed-in member, or the error code. */
  const viewer = async () => {
    const reply = await browser.ask(VIEWER);
    return codeOf(reply) ?? reply.body.data.viewer?.email;
  };
  const expire = () =>
    gateway.services.database.write((tx) =>
      tx.update(Session, { memberId: member.id }, { expiresAt: timestamp(-1) }),
    );

  test("a member signs in and is identified only by the cookie; the token is in no response", async () => {
    const reply = await browser.signIn(member);
    expect(reply.body.data.signInWithCookie).toEqual({
      expiresAt: expect.any(String),
      member: { email: member.email, organization: { slug: "first" } },
    });
    expect(browser.cookie()).toMatch(/^gateway_session=ags_[0-9A-Za-z]{49}$/);
    expect(reply.text).not.toContain("ags_");
    expect(await viewer()).toBe(member.email);
    const made = await browser.ask(
      "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { createdBy } } }",
      { input: { agentId: (await gateway.services.agents.bySlug("first-agent")).id, name: member.id } },
    );
    expect(made.body.data.createApiKey.apiKey.createdBy).toBe(member.email);
  });

  test("the cookie is inaccessible to scripts and other sites, is sent only to GraphQL, and ends with the session", async () => {
    const reply = await browser.signIn(member);
    const [cookie, ...others] = cookiesOf(reply);
    expect(others).toEqual([]);
    expect(cookie).toEqual({
      name: "gateway_session",
      value: expect.any(String),
      httpOnly: true,
      sameSite: "strict",
      path: "/graphql",
      maxAge: expect.any(Number),
    });
    const lifetime = (Date.parse(reply.body.data.signInWithCookie.expiresAt) - Date.now()) / 1000;
    expect(Math.abs(Number(cookie?.maxAge) - lifetime)).toBeLessThan(30);
  });

  test("a wrong password sets no cookie", async () => {
    const reply = await browser.signIn({ ...member, password: "not the password" });
    expectGraphQLError(reply, "invalid_credentials");
    expect(cookiesOf(reply)).toEqual([]);
  });

  test("signIn, for programs, gives a token and no cookie", async () => {
    const reply = await browser.ask("mutation ($input: SignInInput!) { signIn(input: $input) { token } }", {
      input: { email: member.email, password: member.password },
    });
    expect(reply.body.data.signIn.token).toMatch(/^ags_/);
    expect(cookiesOf(reply)).toEqual([]);
  });

  test.each([["signOut { wasActive }"], ["signOutEverywhere { endedSessions }"]])(
    "%s ends the session and removes the cookie",
    async (field) => {
      await browser.signIn(member);
      const token = tokenIn(browser.cookie());
      expect((await browser.ask(`mutation { ${field} }`)).body.errors).toBeUndefined();
      expect(browser.cookie()).toBeUndefined();
      expect(await viewer()).toBeUndefined();
      expect(codeOf(await gateway.graphql(VIEWER, {}, { token }))).toBe("invalid_session");
    },
  );

  test("a changed password ends the other sessions and keeps the one in the cookie", async () => {
    await browser.signIn(member);
    const passwords = { currentPassword: member.password, newPassword: "another good password" };
    const change = "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { id } }";
    expect((await browser.ask(change, { input: passwords })).body).toEqual({
      data: { changePassword: { id: member.id } },
    });
    expect(await viewer()).toBe(member.email);
    expect(codeOf(await gateway.graphql(VIEWER, {}, { token: member.token }))).toBe("invalid_session");
  });

  test("the cookie of an ended session is rejected once and removed", async () => {
    await browser.signIn(member);
    await expire();
    const reply = await browser.ask(VIEWER);
    expectGraphQLError(reply, "invalid_session");
    expect(cookiesOf(reply)).toEqual([expect.objectContaining({ value: "", maxAge: 0, path: "/graphql" })]);
    expect(await viewer()).toBeUndefined();
  });

  test("a member whose session has ended can sign in again, and gets one new cookie", async () => {
    await browser.signIn(member);
    await expire();
    const reply = await browser.signIn(member);
    expect(cookiesOf(reply).map(({ value }) => value)).toEqual([expect.stringMatching(/^ags_/)]);
    expect(await viewer()).toBe(member.email);
  });

  test.each(["", "ags_", "nonsense", "%ZZ", `ags_${"0".repeat(49)}`])(
    "an invented cookie %j is not a session, and does not prevent signing in",
    async (value) => {
      const headers = { cookie: `gateway_session=${value}` };
      expect(codeOf(await browser.ask(VIEWER, {}, { headers }))).toBe("invalid_session");
      expect(codeOf(await browser.signIn(member, { headers }))).toBeUndefined();
    },
  );

  test("an API key in the cookie is not a session", async () => {
    const headers = { cookie: `gateway_session=${gateway.key}` };
    const reply = await browser.ask("{ whoami { agent { id } } }", {}, { headers });
    expectGraphQLError(reply, "invalid_session");
  });

  test("only the Authorization header is used: the cookie is neither read nor removed", async () => {
    await browser.signIn(member);
    const other = await addMember(gateway);
    const asOther = await browser.ask(VIEWER, {}, { token: other.token });
    expect(asOther.body.data.viewer.email).toBe(other.email);
    expectGraphQLError(await browser.ask(VIEWER, {}, { token: "nonsense" }), "invalid_api_key");
    await browser.ask("mutation { signOut { wasActive } }", {}, { token: await openSession(gateway, other) });
    expect(await viewer()).toBe(member.email);
  });

  test.each(["/agent/whoami", "/v1/pets", "/v1/pets/1", "/readyz", "/openapi.json", "/dashboard"])(
    "%s does not read the cookie",
    async (path) => {
      await browser.signIn(member);
      const headers = { origin: gateway.url, "sec-fetch-site": "same-origin" };
      const without = await gateway.rest("GET", path, { token: null, headers });
      const cookie = browser.cookie() ?? "";
      const reply = await gateway.rest("GET", path, { token: null, headers: { ...headers, cookie } });
      expect([reply.status, reply.text]).toEqual([without.status, without.text]);
    },
  );

  test("POST routes of REST do not read the cookie", async () => {
    await browser.signIn(member);
    const call = { token: null, headers: { cookie: browser.cookie() ?? "" } };
    const pet = await gateway.rest("POST", "/v1/pets", { ...call, body: { name: "Rex", categoryId: 1 } });
    expectRestError(pet, "unauthenticated");
    const message = await gateway.rest("POST", "/messages", { ...call, body: { message: "Hello" } });
    expectRestError(message, "unauthenticated");
  });

  test("a query by GET, which a link could cause, does not use the cookie", async () => {
    await browser.signIn(member);
    const headers = {
      cookie: browser.cookie() ?? "",
      "sec-fetch-site": "same-origin",
      "apollo-require-preflight": "true",
      accept: "application/graphql-response+json",
    };
    const reply = await gateway.rest("GET", `/graphql?query=${encodeURIComponent(VIEWER)}`, {
      token: null,
      headers,
    });
    expect(reply.body).toEqual({ data: { viewer: null } });
  });

  test.each<[string, Record<string, string>]>([
    ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example.com" }],
    ["another host of the same site", { "sec-fetch-site": "same-site" }],
    ["another port of this host", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
    ["an opaque origin", { origin: "null" }],
    ["another origin, in a browser without Sec-Fetch-Site", { origin: "https://evil.example.com" }],
    ["another origin that claims to be this one", { "sec-fetch-site": "same-origin", origin: "http://a" }],
    ["an origin that only starts like this one", { origin: "http://127.0.0.1:1.evil.example.com" }],
  ])("a page of %s can neither use the cookie nor get one", async (_, headers) => {
    await browser.signIn(member);
    const cookie = browser.cookie() ?? "";
    const ask = (query: string, more = {}, variables = {}) =>
      gateway.graphql(query, variables, { token: null, headers: { ...headers, ...more } });
    expectGraphQLError(await ask(VIEWER, { cookie }), "forbidden");
    expectGraphQLError(
      await ask("mutation { signOutEverywhere { endedSessions } }", { cookie }),
      "forbidden",
    );
    expect(await viewer()).toBe(member.email);
    const input = { email: member.email, password: member.password };
    const signIn =
      "mutation ($input: SignInWithCookieInput!) { signInWithCookie(input: $input) { expiresAt } }";
    const before = await gateway.services.database.read((reader) => reader.count(Session));
    const reply = await ask(signIn, {}, { input });
    expectGraphQLError(reply, "forbidden");
    expect(cookiesOf(reply)).toEqual([]);
    expect(await gateway.services.database.read((reader) => reader.count(Session))).toBe(before);
  });

  test("an allowed page of another origin can still call with a token", async () => {
    const headers = { origin: "https://studio.apollographql.com", "sec-fetch-site": "cross-site" };
    const reply = await gateway.graphql(VIEWER, {}, { token: member.token, headers });
    expect(reply.body).toEqual({ data: { viewer: { email: member.email } } });
    expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("a program without any of a browser's headers can use the cookie", async () => {
    await browser.signIn(member);
    const reply = await gateway.graphql(
      VIEWER,
      {},
      { token: null, headers: { cookie: browser.cookie() ?? "" } },
    );
    expect(reply.body).toEqual({ data: { viewer: { email: member.email } } });
  });

  test("a form on another site cannot use the cookie, because the body must be JSON", async () => {
    await browser.signIn(member);
    const reply = await gateway.graphql(
      "",
      {},
      {
        token: null,
        headers: { cookie: browser.cookie() ?? "", "content-type": "text/plain" },
        body: JSON.stringify({ query: VIEWER }),
      },
    );
    expectGraphQLError(reply, "invalid_content_type");
  });
});
