import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { TRANSPORTS } from "../support/followers";
import type { Reply } from "../support/gateway";
import { rpc } from "../support/mcp";
import {
  APPLICATION_CALLBACK,
  Application,
  OAUTH_BASE,
  OAUTH_ENV,
  postForm,
  secret,
  type Tokens,
} from "../support/oauth";
import { addMember, addOrganization, codeOf } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any", env: OAUTH_ENV, strict: true }, (gateway) => {
  let application: Application;
  let other: Application;
  beforeAll(async () => {
    application = await Application.register(gateway);
    other = await Application.register(gateway, {
      name: "Other",
      redirectUri: "https://evil.example.com/cb",
    });
  });

  /** Returns the result of an authorization request: an origin and error, or the status of a page. */
  const outcomeOf = async (changes: Record<string, string | undefined>, extra = "") => {
    const response = await fetch(application.authorizeUrl(changes) + extra, { redirect: "manual" });
    const to = response.headers.get("location");
    if (to === null) return response.status;
    const { origin, searchParams, hash } = new URL(to, gateway.url);
    return origin === gateway.url ? "consent" : `${origin} ${searchParams.get("error") ?? hash}`;
  };
  const APPLICATION = new URL(APPLICATION_CALLBACK).origin;

  test.each<[string, Record<string, string | undefined>]>([
    ["a redirect to another host", { redirect_uri: "https://evil.example.com/cb" }],
    ["a redirect to another path", { redirect_uri: `${APPLICATION_CALLBACK}/../evil` }],
    ["a redirect with a longer path", { redirect_uri: `${APPLICATION_CALLBACK}/evil` }],
    ["a redirect with a query", { redirect_uri: `${APPLICATION_CALLBACK}?to=evil` }],
    ["a redirect with a fragment", { redirect_uri: `${APPLICATION_CALLBACK}#evil` }],
    [
      "a redirect with a user name",
      { redirect_uri: "https://application.example.com@evil.example.com/callback" },
    ],
    ["a redirect with another port", { redirect_uri: "https://application.example.com:8443/callback" }],
    ["a redirect over HTTP", { redirect_uri: "http://application.example.com/callback" }],
    ["a redirect to a subdomain", { redirect_uri: "https://evil.application.example.com/callback" }],
    ["a redirect in another case", { redirect_uri: "https://application.example.com/CALLBACK" }],
    ["a redirect to a script", { redirect_uri: "javascript:alert(1)" }],
    ["an unknown application", { client_id: "nobody" }],
    ["an application at a private address", { client_id: "https://127.0.0.1/metadata.json" }],
    ["an application at a name of a private address", { client_id: "https://localhost/metadata.json" }],
    ["an application in the cloud's metadata", { client_id: "https://169.254.169.254/latest/meta-data" }],
    ["an application over HTTP", { client_id: "http://application.example.com/metadata.json" }],
    ["an application with a user name", { client_id: "https://a@application.example.com/metadata.json" }],
  ])("%s gets no redirect", async (_, changes) => {
    expect(await outcomeOf(changes)).toBe(400);
  });

  test.each<[string, Record<string, string | undefined>, string, string?]>([
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["PKCE without a method", { code_challenge_method: undefined }, "invalid_request"],
    ["a short challenge", { code_challenge: "short" }, "invalid_request"],
    ["a foreign resource", { resource: "https://other.example.com/mcp" }, "invalid_target"],
    ["another part of the server", { resource: `${OAUTH_BASE}/graphql` }, "invalid_target"],
    ["a resource with a fragment", { resource: `${OAUTH_BASE}/mcp#x` }, "invalid_target"],
    ["a token in the response", { response_type: "token" }, ""],
    ["two redirects", {}, "invalid_request", "&redirect_uri=https://evil.example.com/cb"],
    ["no consent", {}, "consent_required", "&prompt=none"],
    ["two states", {}, "invalid_request", "&state=other"],
    ["two challenges", {}, "invalid_request", "&code_challenge=other"],
  ])("a request with %s is rejected without asking the member", async (_, changes, error, extra = "") => {
    const outcome = await outcomeOf(changes, extra);
    expect(outcome).toMatch(new RegExp(`^${APPLICATION.replaceAll(".", "\\.")} `));
    expect(outcome).toContain(error);
  });

  const attempts: [string, (code: string) => Promise<{ body: { error?: string } }>][] = [
    ["without a verifier", (code) => application.exchange(code, { code_verifier: undefined })],
    ["with another verifier", (code) => application.exchange(code, { code_verifier: secret() })],
    [
      "with the challenge as verifier",
      (code) => application.exchange(code, { code_verifier: "a".repeat(43) }),
    ],
    [
      "with another redirect",
      (code) => application.exchange(code, { redirect_uri: "https://evil.example.com/cb" }),
    ],
    ["as another application", (code) => application.exchange(code, { client_id: other.clientId })],
    [
      "for a foreign resource",
      (code) => application.exchange(code, { resource: "https://other.example.com/mcp" }),
    ],
    [
      "for a resource that nobody consented to",
      (code) => application.exchange(code, { resource: `${OAUTH_BASE}/mcp/readonly` }),
    ],
    ["as a refresh token", (code) => application.refresh(code)],
  ];
  test.each(attempts)("a code cannot be used %s", async (_, use) => {
    const { body } = await use(await application.code());
    expect(body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  });

  test("a code or refresh token that was rejected because of its resource still works with the right one", async () => {
    const wrong = { resource: `${OAUTH_BASE}/mcp/` };
    const code = await application.code();
    expect((await application.exchange(code, wrong)).body.error).toBe("invalid_target");
    const { refresh_token: token } = (await application.exchange(code)).body;
    expect((await application.refresh(token, wrong)).body.error).toBe("invalid_target");
    const { body } = await application.refresh(token, { resource: `${OAUTH_BASE}/mcp` });
    expect((await rpc(gateway, "ping", {}, { token: body.access_token })).status).toBe(200);
  });

  test("a code or refresh token still works after requests in which the database failed, at any write", async () => {
    const { database } = gateway.services;
    /** Repeats a request: its first write fails, then its second one, and so on, until none fails. */
    const untilAnswered = async (send: () => Promise<Reply>) => {
      for (let failing = 1; ; failing++) {
        // Otherwise, its own write could fail instead of the request's.
        await gateway.services.usageRecorder.flush({ all: true });
        const { write } = database;
        let writes = 0;
        const spy = jest
          .spyOn(database, "write")
          .mockImplementation((...given: Parameters<typeof write>) =>
            ++writes === failing ? Promise.reject(new Error("disk full")) : write.apply(database, given),
          );
        // The gateway of this suite throws an error for a 500.
        const reply = await send().catch((error: Error) => error.message);
        spy.mockRestore();
        if (typeof reply !== "string") return { tokens: reply.body as Tokens, failures: failing - 1 };
        expect(reply).toContain('"error":"server_error"');
      }
    };
    const code = await application.code();
    const exchanged = await untilAnswered(() => application.exchange(code));
    const refreshed = await untilAnswered(() => application.refresh(exchanged.tokens.refresh_token));
    for (const { tokens, failures } of [exchanged, refreshed]) {
      expect(failures).toBeGreaterThan(0);
      expect((await rpc(gateway, "ping", {}, { token: tokens.access_token })).status).toBe(200);
    }
    expect((await application.refresh(refreshed.tokens.refresh_token)).status).toBe(200);
  });

  test("tokens cannot be used instead of each other, or by another application", async () => {
    const { access_token: access, refresh_token: refresh } = await application.connect();
    const ping = async (token: string) => (await rpc(gateway, "ping", {}, { token })).status;
    expect(await ping(refresh)).toBe(401);
    expect((await application.refresh(access)).body.error).toBe("invalid_grant");
    expect((await other.refresh(refresh)).body.error).toBe("invalid_grant");
    expect((await other.revoke(access)).status).toBe(200);
    expect(await ping(access)).toBe(200);
    expect((await postForm(gateway, "/oauth/revoke", { token: access })).status).toBe(400);
    expect((await gateway.graphql("{ whoami { agent { id } } }", {}, { token: access })).status).toBe(401);
  });

  test.each(Object.entries(TRANSPORTS))("an access token follows no events over %s", async (_, transport) => {
    const { access_token: token } = await application.connect();
    const follower = await transport(gateway, { token });
    expect(await follower.end()).toBe("invalid_api_key");
  });

  describe("consent", () => {
    test("to a request of an attacker's browser connects nothing", async () => {
      const requestId = await application.start();
      const { body } = await application.consent(requestId);
      const victim = application.elsewhere();
      await expect(victim.finish(body.data.connectApplication.redirectUrl)).rejects.toThrow("answered 400");
      // The attacker's browser lacks the secret of the consent.
      const answer = await application.finish(`${gateway.url}/oauth/request/${requestId}/finish`);
      expect(answer.get("error")).toBe("access_denied");
    });

    test("works once, and only for its own request", async () => {
      const [first, second] = [await application.start(), await application.elsewhere().start()];
      const { body } = await application.consent(first);
      const url: string = body.data.connectApplication.redirectUrl;
      expect(codeOf(await application.consent(first))).toBe("not_found");
      await expect(application.finish(url.replace(first, second))).rejects.toThrow("answered 400");
      const answer = await application.finish(url);
      expect(answer.get("code")).toEqual(expect.any(String));
      await expect(application.finish(url)).rejects.toThrow("answered 400");
    });

    test.each<[string, (requestId: string) => Promise<[Record<string, unknown>, string]>, string]>([
      ["a member who may not manage keys", async () => [{}, (await addMember(gateway)).token], "forbidden"],
      ["nobody", async () => [{}, ""], "unauthenticated"],
      ["an agent's key", async () => [{}, gateway.key], "forbidden"],
      [
        "a member of another organization",
        async () => [{}, (await addOrganization(gateway, "another")).manager.token],
        "not_found",
      ],
      [
        "a member for scopes that were not requested",
        async () => [{ scopes: ["pets_write"] }, gateway.owner],
        "invalid_request",
      ],
      ["a member for no scopes", async () => [{ scopes: [] }, gateway.owner], "invalid_request"],
      ["a member for centuries", async () => [{ expiresInDays: 100_000 }, gateway.owner], "invalid_request"],
      [
        "a member who signed in long ago",
        async () => {
          const { token, id } = await addMember(gateway, { manage: true });
          await gateway.services.database.write((tx) =>
            tx.update(Session, { memberId: id }, { createdAt: timestamp(-3_600_000) }),
          );
          return [{}, token];
        },
        "recent_sign_in_required",
      ],
    ])("of %s is rejected", async (_, given, code) => {
      const requestId = await application.start();
      const [input, token] = await given(requestId);
      const reply = await (token === ""
        ? gateway.graphql(
            'mutation { connectApplication(input: { requestId: "x", agentId: "x", scopes: agent_read }) { redirectUrl } }',
            {},
            { token: null },
          )
        : application.consent(requestId, input, token));
      expect(codeOf(reply)).toBe(code);
    });

    test("is no longer valid after the member has signed out", async () => {
      const { token, id } = await addMember(gateway, { manage: true });
      const { body } = await application.consent(await application.start(), {}, token);
      await gateway.services.database.write((tx) => tx.delete(Session, { memberId: id }));
      const answer = await application.finish(body.data.connectApplication.redirectUrl);
      expect(answer.get("error")).toBe("access_denied");
    });
  });

  test("the name of an application is one line without tokens or control characters", async () => {
    const hostile = await Application.register(gateway, { name: `Claude\u202e\n${gateway.key}\u0000 ` });
    const request = "query ($id: ID!) { connectionRequest(id: $id) { name host } }";
    const { body } = await gateway.graphql(request, { id: await hostile.start() }, { token: gateway.owner });
    expect(body.data.connectionRequest).toEqual({
      name: expect.stringMatching(/^Claude agk_dev_\w{12}_\[redacted\]$/),
      host: null,
    });
  });

  test("an address that sends too many requests must wait", async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 130; i++)
      statuses.add((await fetch(application.authorizeUrl({ client_id: "x" }))).status);
    expect([...statuses]).toContain(429);
  });
});
