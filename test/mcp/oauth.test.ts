import { In, IsNull, Not } from "typeorm";
import type { RequestContext } from "../../src/auth/context";
import { DAY_MS, timestamp } from "../../src/common/time";
import { mintAccessToken } from "../../src/credentials/token-format";
import { GatewayError } from "../../src/errors";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { Message } from "../../src/features/messages/message.entity";
import { OAuthRecord } from "../../src/features/oauth/oauth-record.entity";
import { Organization } from "../../src/features/organizations/organization.entity";
import { Pet } from "../../src/features/pets/pet.entity";
import { agentClient } from "../support/agents";
import { actionsOn } from "../support/audit";
import { operator, type Reply, startGateway, type TestGateway } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { callTool, rpc, toolError } from "../support/mcp";
import {
  APPLICATION_CALLBACK,
  Application,
  ageUsedTokens,
  OAUTH_BASE,
  OAUTH_ENV,
  storeConnection,
  storeConnectionRequest,
  type Tokens,
} from "../support/oauth";
import { addMember, openSession } from "../support/people";
import { expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const ORIGIN = { ip: null, userAgent: null, requestId: null };
const METADATA = `${OAUTH_BASE}/.well-known/oauth-protected-resource`;

describeGateway({ engine: "any", env: OAUTH_ENV, strict: true }, (gateway, engine) => {
  /** Another process on the same database. */
  let other: TestGateway;
  beforeAll(async () => {
    const database = { url: gateway.databaseUrl, drop: async () => undefined };
    other = await startGateway(engine, { env: OAUTH_ENV, strict: true, database, signInOwner: false });
  });
  afterAll(() => other.close());
  const ping = (token: string) => rpc(gateway, "ping", {}, { token });
  const whoami = async (token: string) =>
    (await rpc(gateway, "tools/call", { name: "whoami", arguments: {} }, { token })).body.result
      .structuredContent;

  const expectEnded = ({ status, body }: Reply) =>
    expect([status, body.code]).toEqual([401, "invalid_api_key"]);
  /** Returns the errors of a tool for `agent:read` and of one for `contacts:read`. */
  const outcomesOf = async (token: string) => {
    const calls = ["getConfiguration", "listContacts"].map((name) => callTool(gateway, name, {}, { token }));
    return (await Promise.all(calls)).map((reply) => toolError(reply)?.code);
  };

  test("a rejected request says where clients find the authorization server", async () => {
    for (const [path, token, challenge] of [
      ["/mcp", null, `Bearer resource_metadata="${METADATA}/mcp"`],
      ["/mcp", "agt_x", `Bearer error="invalid_token", resource_metadata="${METADATA}/mcp"`],
      ["/mcp/readonly", null, `Bearer resource_metadata="${METADATA}/mcp/readonly"`],
    ] as const) {
      const reply = await gateway.rest("POST", path, { body: {}, token });
      expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([401, challenge]);
    }
    const elsewhere = await gateway.rest("GET", "/v1/pets", { token: null });
    expect(elsewhere.headers.get("www-authenticate")).toBe("Bearer");
    for (const path of ["", "/mcp", "/mcp/readonly"]) {
      const { body } = await gateway.rest("GET", `${METADATA.replace(OAUTH_BASE, "")}${path}`, {
        token: null,
      });
      expect(body).toMatchObject({
        resource: `${OAUTH_BASE}${path || "/mcp"}`,
        authorization_servers: [OAUTH_BASE],
      });
    }
  });

  test("an application acts as an agent after a member's consent, within the granted scopes", async () => {
    const application = await Application.register(gateway);
    const requestId = await application.start();
    const asked = "query ($id: ID!) { connectionRequest(id: $id) { name host redirectUri scopes } }";
    expect((await gateway.graphql(asked, { id: requestId }, { token: gateway.owner })).body.data).toEqual({
      connectionRequest: {
        name: "Assistant",
        host: null,
        redirectUri: APPLICATION_CALLBACK,
        scopes: ["agent_read", "contacts_read"],
      },
    });
    const { body } = await application.consent(requestId, { scopes: ["agent_read"] });
    const answer = await application.finish(body.data.connectApplication.redirectUrl);
    expect(Object.fromEntries(answer)).toEqual({
      code: expect.any(String),
      state: "a state",
      iss: OAUTH_BASE,
    });
    const tokens = (await application.exchange(answer.get("code") ?? "")).body;
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^agt_\w{49}$/),
      refresh_token: expect.stringMatching(/^agr_\w{49}$/),
      expires_in: 3600,
      scope: "agent:read",
      token_type: "Bearer",
    });
    const { agent, key } = await whoami(tokens.access_token);
    expect([agent.slug, key.name]).toEqual(["first-agent", "Assistant"]);
    expect(await outcomesOf(tokens.access_token)).toEqual([undefined, "insufficient_scope"]);
    for (const path of ["/v1/pets", "/agent/configuration"])
      expectRestError(await gateway.rest("GET", path, { token: tokens.access_token }), "invalid_api_key");
    expect(await actionsOn(gateway, key.id)).toEqual(["api_key_created"]);
    // No one knows the key's secret, so a rotation must not replace it with a key whose secret is known.
    const rotated = await apiKeyClient(gateway).rotate(key.id);
    expect(rotated.body.errors[0].extensions.code).toBe("conflict");
  });

  test("a code works once, and using it again ends the connection", async () => {
    const application = await Application.register(gateway);
    const code = await application.code();
    const { body } = await application.exchange(code);
    expect((await ping(body.access_token)).status).toBe(200);
    expect((await application.exchange(code)).body.error).toBe("invalid_grant");
    expectEnded(await ping(body.access_token));
    expect((await application.refresh(body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("a refresh token can be reused for 30 seconds, by concurrent requests to several servers, and later reuse ends the connection", async () => {
    const application = await Application.register(gateway);
    const first = await application.connect();
    const { key } = await whoami(first.access_token);
    const refreshAt = (at: TestGateway) => application.elsewhere(at).refresh(first.refresh_token);
    const replies = await Promise.all([gateway, other, gateway].map(refreshAt));
    await ageUsedTokens(gateway, key.id, 25_000);
    replies.push(await refreshAt(other));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const tokens: Tokens[] = replies.map(({ body }) => body);
    expect(new Set(tokens.map(({ refresh_token: token }) => token)).size).toBe(4);
    for (const { refresh_token: token } of tokens)
      expect((await application.refresh(token)).status).toBe(200);
    for (const { access_token: token } of [first, ...tokens]) expect((await ping(token)).status).toBe(200);
    await ageUsedTokens(gateway, key.id, 31_000);
    expect((await refreshAt(gateway)).body.error).toBe("invalid_grant");
    for (const { access_token: token } of [first, ...tokens]) expectEnded(await ping(token));
  });

  test("of concurrent uses of a code, at most one succeeds, and its tokens do not remain valid", async () => {
    const application = await Application.register(gateway);
    const code = await application.code();
    const use = () => application.exchange(code);
    const replies = await Promise.all([use(), use(), use()]);
    const got = replies.filter(({ status }) => status === 200);
    expect(got.length).toBeLessThanOrEqual(1);
    for (const { body } of got) expectEnded(await ping(body.access_token));
  });

  test("a consent leads to one connection and one code, however often the browser follows its URLs", async () => {
    const application = await Application.register(gateway);
    const { id: member, token } = await addMember(gateway, { manage: true });
    const { body } = await application.consent(await application.start(), {}, token);
    const url = body.data.connectApplication.redirectUrl.replace(OAUTH_BASE, gateway.url);
    const follow = async (from: string) => {
      const response = await application.browser.send(from);
      return response.headers.get("location")?.replace(OAUTH_BASE, gateway.url) ?? response.status;
    };
    const several = <T>(run: () => Promise<T>) => Promise.all([run(), run(), run(), run()]);
    const finished = await several(() => follow(url));
    const [resumeUrl] = finished.filter((to) => typeof to === "string");
    expect(finished.sort()).toEqual([400, 400, 400, resumeUrl]);
    const answers = await several(() => follow(resumeUrl ?? ""));
    const codes = answers.filter((to) => typeof to === "string" && new URL(to).searchParams.has("code"));
    expect([codes.length, answers.filter((to) => to === 400).length]).toEqual([1, 3]);
    expect(await connectionsOf(member)).toHaveLength(1);
  });

  test("if the database fails while a consent is completed, the page asks to try again, and the cause is logged", async () => {
    const { database } = gateway.services;
    const unavailable = new GatewayError("unavailable", undefined, { cause: new Error("no primary") });
    const unexpected = new Error("the disk is full");
    const application = await Application.register(gateway);
    const { body } = await application.consent(await application.start());
    const url: string = body.data.connectApplication.redirectUrl;
    for (const [fail, status, cause] of [
      [() => jest.spyOn(database, "write").mockRejectedValue(unavailable), 503, "no primary"],
      [() => jest.spyOn(database, "read").mockRejectedValue(unexpected), 500, "the disk is full"],
    ] as const) {
      const failing = fail();
      try {
        const response = await application.browser.send(url.replace(OAUTH_BASE, gateway.url));
        expect([response.status, await response.text()]).toEqual([
          status,
          expect.stringContaining("Try again in a few minutes."),
        ]);
      } finally {
        failing.mockRestore();
      }
      expect(gateway.log()).toContain(cause);
    }
    // The failures have not used up the consent.
    expect((await application.finish(url)).get("code")).toEqual(expect.any(String));
  });

  test("a connection keeps a used refresh token for 30 days, and uses 200 of them per day", async () => {
    const application = await Application.register(gateway);
    const tokens = await application.connect({ expiresInDays: 366 });
    const { key } = await whoami(tokens.access_token);
    const used = await application.refresh(tokens.refresh_token);
    const { database } = gateway.services;
    const [kept, ...others] = await database.read((reader) =>
      reader.findBy(OAuthRecord, { keyId: key.id, kind: "RefreshToken", consumedAt: Not(IsNull()) }),
    );
    if (kept === undefined) throw new Error("The used token was not kept.");
    expect(others).toEqual([]);
    expect(Date.parse(kept.expiresAt) / DAY_MS).toBeCloseTo(Date.now() / DAY_MS + 30, 2);
    const more = Array.from({ length: 199 }, (_, i) => ({ ...kept, hash: `${i}` }));
    await database.write((tx) => tx.insert(OAuthRecord, more));
    for (const token of [used.body.refresh_token, tokens.refresh_token]) {
      const rejected = await application.refresh(token);
      expect([rejected.status, rejected.body.error]).toEqual([429, "temporarily_unavailable"]);
    }
    // The rejected request has not used up the token.
    const consumedAt = timestamp(-DAY_MS);
    await database.write((tx) =>
      tx.update(OAuthRecord, { hash: In(more.map(({ hash }) => hash)) }, { consumedAt }),
    );
    expect((await application.refresh(used.body.refresh_token)).status).toBe(200);
    // Each reuse also counts.
    await database.write((tx) => tx.delete(OAuthRecord, { hash: In(more.map(({ hash }) => hash)) }));
    await database.write((tx) => tx.insert(OAuthRecord, more.slice(0, 196)));
    expect((await application.refresh(tokens.refresh_token)).status).toBe(200);
    expect((await application.refresh(tokens.refresh_token)).status).toBe(200);
    expect((await application.refresh(tokens.refresh_token)).status).toBe(429);
  });

  test("a refreshed access token works although its address has presented too many unknown keys", async () => {
    const { accessTokens, rejectedTokens } = gateway.services;
    const ip = "192.0.2.1";
    const resolve = (token: string) => accessTokens?.resolve(token, { ...ORIGIN, ip });
    const application = await Application.register(gateway);
    const { refresh_token: token } = await application.connect();
    const guess = () => rejectedTokens.find("unknown", ip, async () => undefined);
    await Promise.allSettled(Array.from({ length: 1_001 }, guess));
    await expect(resolve(mintAccessToken())).rejects.toMatchObject({ code: "too_many_attempts" });
    const { body } = await application.refresh(token);
    expect(await resolve(body.access_token)).toMatchObject({ kind: "agent" });
  });

  test("an expired access token is rejected without a record, and a token of a revoked key with one", async () => {
    const { database, usageRecorder } = gateway.services;
    const { id: memberId } = await addMember(gateway, { manage: true });
    const { keyId, access } = await storeConnection(gateway, { memberId });
    const recordsOf = async () => {
      await usageRecorder.flush({ all: true });
      const query = "query ($id: ID) { keyUsage(keyId: $id) { refused lastRefusal } }";
      const { body } = await gateway.graphql(query, { id: keyId }, { token: gateway.owner });
      return [await actionsOn(gateway, keyId), body.data.keyUsage];
    };
    const expiresAt = timestamp(-1);
    await database.write((tx) => tx.update(OAuthRecord, { keyId, kind: "AccessToken" }, { expiresAt }));
    expectEnded(await ping(access));
    expect(await recordsOf()).toEqual([["api_key_created"], []]);
    await apiKeyClient(gateway).revoke(keyId);
    expectEnded(await ping(access));
    expect(await recordsOf()).toEqual([
      ["api_key_created", "api_key_revoked", "api_key_refused"],
      [{ refused: 1, lastRefusal: "inactive" }],
    ]);
  });

  test("a refresh can narrow the scopes of the access token, but not widen them", async () => {
    const application = await Application.register(gateway);
    const { refresh_token: token } = await application.connect({ scopes: ["agent_read", "contacts_read"] });
    const narrowed = (await application.refresh(token, { scope: "agent:read" })).body;
    expect(await outcomesOf(narrowed.access_token)).toEqual([undefined, "insufficient_scope"]);
    const widened = await application.refresh(narrowed.refresh_token, { scope: "agent:read pets:write" });
    expect(widened.body.error).toBe("invalid_scope");
  });

  const report = (key: string) => gateway.rest("POST", "/leaked-keys", { body: { key }, token: null });
  const ENDS: [what: string, end: (keyId: string, tokens: Tokens) => Promise<unknown>][] = [
    ["revoking its key", (id) => apiKeyClient(gateway).revoke(id)],
    ["the application", async (_, { access_token: token }) => last.revoke(token)],
    [
      "deactivation of the organization",
      async () => gateway.services.organizations.deactivate(await operator(gateway)),
    ],
    ["removal of the member", async () => gateway.services.members.remove(await operator(gateway), memberId)],
    [
      "loss of the member's permission",
      async () => gateway.services.members.revokeAllPermissions(await operator(gateway), memberId),
    ],
    ["a report of its access token", (_, { access_token: key }) => report(key)],
    ["a report of its refresh token", (_, { refresh_token: key }) => report(key)],
    ["deletion of the agent", async () => gateway.services.agents.delete(await operator(gateway), agentId)],
  ];
  let last: Application;
  let memberId = "";
  let agentId = "";
  test.each(ENDS)("%s ends a connection from the next request on", async (_, end) => {
    const member = await addMember(gateway, { manage: true });
    memberId = member.id;
    ({ id: agentId } = await agentClient(gateway).add());
    last = await Application.register(gateway);
    const { body } = await last.consent(await last.start(), { agentId }, member.token);
    const code = (await last.finish(body.data.connectApplication.redirectUrl)).get("code") ?? "";
    const tokens = (await last.elsewhere(other).exchange(code, { code_verifier: last.verifier })).body;
    const { key } = await whoami(tokens.access_token);
    expect(key.id).toMatch(/^[\da-f-]{36}$/);
    await end(key.id, tokens);
    for (const at of [other, gateway])
      expect((await rpc(at, "ping", {}, { token: tokens.access_token })).status).toBe(401);
    expect((await last.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    // One way to end a connection deactivates the organization.
    await gateway.services.database.write((tx) =>
      tx.update(Organization, { slug: "first" }, { deactivatedAt: null }),
    );
  });

  /** Returns a member's active connections. */
  const connectionsOf = (member: string) =>
    gateway.services.database.read((reader) =>
      reader.findBy(ApiKey, { memberId: member, revokedAt: IsNull() }),
    );

  describe.each<[what: string, end: (ids: { member: string; agent: string }) => Promise<unknown>]>([
    [
      "removal of the member",
      async ({ member }) => gateway.services.members.remove(await operator(gateway), member),
    ],
    [
      "loss of the member's permission",
      async ({ member }) => gateway.services.members.revokeAllPermissions(await operator(gateway), member),
    ],
    [
      "deletion of the agent",
      async ({ agent }) => gateway.services.agents.delete(await operator(gateway), agent),
    ],
  ])("%s", (_, end) => {
    test("leaves no connection from a concurrent consent", async () => {
      const { connections } = gateway.services;
      for (let round = 0; round < 4; round++) {
        const [{ id: agent }, { id: member, token }] = [
          await agentClient(gateway).add(),
          await addMember(gateway, { manage: true }),
        ];
        const requestId = await storeConnectionRequest(gateway);
        const context = { caller: await gateway.services.sessions.resolve(token, ORIGIN), origin: ORIGIN };
        const input = { requestId, agentId: agent, scopes: ["agent:read" as const], expiresInDays: 1 };
        const { redirectUrl } = await connections.consent(context, input);
        const secret = new URL(redirectUrl).searchParams.get("consent") ?? "";
        const ending = [() => end({ member, agent }), () => connections.connect(requestId, secret)];
        const outcomes = await Promise.allSettled(
          (round % 2 === 0 ? ending : ending.toReversed()).map((run) => run()),
        );
        const rejected = outcomes.find(({ status }) => status === "rejected");
        // A connection made in between prevents the deletion of an agent, like any other key.
        if (rejected !== undefined) {
          expect(rejected).toMatchObject({ reason: { code: "conflict" } });
          await end({ member, agent });
        }
        expect(await connectionsOf(member)).toEqual([]);
      }
    });

    test("leaves no valid token to a code that is redeemed concurrently", async () => {
      const application = await Application.register(gateway);
      const [{ id: agent }, { id: member, token }] = [
        await agentClient(gateway).add(),
        await addMember(gateway, { manage: true }),
      ];
      const { body } = await application.consent(await application.start(), { agentId: agent }, token);
      const code = (await application.finish(body.data.connectApplication.redirectUrl)).get("code") ?? "";
      const [redeemed] = await Promise.all([application.exchange(code), end({ member, agent })]);
      if (redeemed.status === 200) {
        expectEnded(await ping(redeemed.body.access_token));
        expect((await application.refresh(redeemed.body.refresh_token)).body.error).toBe("invalid_grant");
      } else expect(redeemed.body.error).toBe("invalid_grant");
    });

    test("waits for writes that its connections have started, and they write nothing afterwards", async () => {
      const { database, accessTokens, messageQueue, pets } = gateway.services;
      const rows = () =>
        database.read(async (reader) => (await reader.count(Message)) + (await reader.count(Pet)));
      for (let round = 0; round < 3; round++) {
        const [{ id: agent }, { id: member }] = [
          await agentClient(gateway).add(),
          await addMember(gateway, { manage: true }),
        ];
        const { access } = await storeConnection(gateway, { memberId: member, agentId: agent });
        const caller = await accessTokens?.resolve(access, ORIGIN);
        const context = { caller, origin: ORIGIN } as RequestContext;
        const write = (i: number): Promise<unknown> =>
          i % 2 === 0
            ? messageQueue.send(context, { text: "hello", idempotencyKey: undefined })
            : pets.create(context, { name: "Rex", categoryId: "1", status: null, idempotencyKey: undefined });
        const writeAll = (count: number) =>
          Promise.allSettled(Array.from({ length: count }, (_, i) => write(i)));
        const begun = writeAll(30);
        await end({ member, agent });
        const atTheAnswer = await rows();
        const late = await writeAll(10);
        await begun;
        expect(late.map(({ status }) => status)).toEqual(late.map(() => "rejected"));
        expect(await rows()).toBe(atTheAnswer);
      }
    });
  });

  test("a connection is listed and ended among the agent's keys", async () => {
    const { id: memberId } = await addMember(gateway, { manage: true });
    const { keyId } = await storeConnection(gateway, { memberId });
    const list = "query ($is: Boolean) { apiKeys(isConnection: $is, first: 50) { nodes { id clientId } } }";
    const idsOf = async (is: boolean) => {
      const owner = await openSession(gateway, gateway.ownerCredentials);
      const { body } = await gateway.graphql(list, { is }, { token: owner });
      return body.data.apiKeys.nodes.map(({ id }: { id: string }) => id);
    };
    expect(await idsOf(true)).toContain(keyId);
    expect(await idsOf(false)).not.toContain(keyId);
  });
});
