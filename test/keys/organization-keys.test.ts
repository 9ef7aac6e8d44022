import { auditLog } from "../support/audit";
import { mint, mintForOrganization, operator, startGateway } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { CONNECT, OAUTH_ENV, storeConnectionRequest } from "../support/oauth";
import { codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const NETWORKS = ["127.0.0.0/8"];
const CREATE = `mutation ($input: CreateOrganizationKeyInput!) {
  createOrganizationKey(input: $input) { secret apiKey { id name hint scopes agent { id } } }
}`;

describeGateway((gateway, engine) => {
  const client = apiKeyClient(gateway);
  const create = (input: object) => gateway.graphql(CREATE, { input }, { token: gateway.owner });
  const whoami = (token: string) => gateway.rest("GET", "/agent/whoami", { token });

  test("a manager mints, rotates and revokes an organization key, which manages within its scopes", async () => {
    const input = { name: "pipeline", scopes: ["audit_read", "members_read"], allowedNetworks: NETWORKS };
    const { secret, apiKey } = (await create(input)).body.data.createOrganizationKey;
    expect(secret).toMatch(/^ago_dev_[0-9A-Za-z]{12}_[0-9A-Za-z]{28}$/);
    expect(apiKey).toMatchObject({ name: "pipeline", scopes: ["members_read", "audit_read"], agent: null });
    const { body } = await whoami(secret);
    expect(body.agent).toBeUndefined();
    expect(body).toMatchObject({ organization: { slug: "first" }, key: { hint: apiKey.hint } });
    const log = await gateway.graphql("{ auditLog(first: 1) { nodes { id } } }", {}, { token: secret });
    expect(log.body.data.auditLog.nodes).toHaveLength(1);
    const agents = await gateway.graphql(
      "{ agents { slug apiKeys { nodes { id } } } }",
      {},
      { token: secret },
    );
    expect(codeOf(agents)).toBe("insufficient_scope");
    const entries = await auditLog(gateway, { targetId: apiKey.id });
    expect(entries[0]?.changes).toContainEqual({
      field: "scopes",
      before: null,
      after: "members:read, audit:read",
    });

    const byGraphql = await gateway.graphql("{ whoami { agent { id } } }", {}, { token: secret });
    expect(byGraphql.body).toEqual({ data: { whoami: { agent: null } } });

    const rotated = (await client.rotate(apiKey.id)).body.data.rotateApiKey;
    expect(codeOf(await whoami(secret))).toBe("key_revoked");
    expect(codeOf(await whoami(rotated.secret))).toBeUndefined();
    await client.revoke(rotated.apiKey.id);
    expect(codeOf(await whoami(rotated.secret))).toBe("key_revoked");
  });

  test("it must be limited to networks or to 366 days", async () => {
    const scopes = ["audit_read"];
    const codes = [];
    for (const [i, limits] of [
      {},
      { expiresAt: inDays(367) },
      { expiresAt: inDays(365) },
      { allowedNetworks: NETWORKS },
      { allowedNetworks: NETWORKS, expiresAt: inDays(1000) },
    ].entries())
      codes.push(codeOf(await create({ name: `limited ${i}`, scopes, ...limits })));
    expect(codes).toEqual(["invalid_request", "invalid_request", undefined, undefined, undefined]);
    const { id } = await mintForOrganization(gateway);
    expect(codeOf(await client.update(id, { allowedNetworks: null }))).toBe("invalid_request");
    const expiring = await mintForOrganization(gateway, { expiresAt: inDays(1) });
    expect(codeOf(await client.update(expiring.id, { allowedNetworks: null }))).toBeUndefined();
  });

  test("the names of active organization keys are unique, independently of agents' keys", async () => {
    const input = { name: "one name", scopes: ["audit_read"], allowedNetworks: NETWORKS };
    await mint(gateway, { name: input.name });
    const [first, second] = await Promise.all([create(input), create(input)]);
    expect([codeOf(first), codeOf(second)].sort()).toEqual(["conflict", undefined]);
    const { createOrganizationKey: made } = (first.body.data?.createOrganizationKey ? first : second).body
      .data;
    await client.revoke(made.apiKey.id);
    expect(codeOf(await create(input))).toBeUndefined();
  });

  test("a leaked organization key is revoked by anyone who reports it", async () => {
    const { id, secret } = await mintForOrganization(gateway);
    const report = { token: null, body: { key: secret } };
    expect((await gateway.rest("POST", "/leaked-keys", report)).status).toBe(202);
    expect(codeOf(await whoami(secret))).toBe("key_revoked");
    const key = await gateway.services.keys.find(await operator(gateway), id);
    expect(key?.leakedAt).not.toBeNull();
  });

  test("KEY_MAX_LIFETIME_DAYS limits every new key", async () => {
    const limited = await startGateway(engine, { env: { ...OAUTH_ENV, KEY_MAX_LIFETIME_DAYS: "30" } });
    try {
      const { create: createKey, rotate } = apiKeyClient(limited);
      const days = (expiresAt: string) => Math.round((Date.parse(expiresAt) - Date.now()) / DAY_MS);
      const { apiKey } = (await createKey({ name: "no end" })).body.data.createApiKey;
      expect(days(apiKey.expiresAt)).toBe(30);
      const later = { name: "later", agentId: await firstAgentId(limited), expiresAt: inDays(31) };
      expect(codeOf(await createKey(later))).toBe("invalid_request");
      expect(days((await rotate(apiKey.id)).body.data.rotateApiKey.apiKey.expiresAt)).toBe(30);
      const { id } = await mintForOrganization(limited);
      const key = await limited.services.keys.find(await operator(limited), id);
      expect(days(key?.expiresAt ?? "")).toBe(30);
      const ending = { name: "ending", scopes: ["keys_manage"], expiresAt: inDays(5) };
      const minter = await limited.graphql(CREATE, { input: ending }, { token: limited.owner });
      const agentKey = { agentId: await firstAgentId(limited), name: "by a key", scopes: ["pets_read"] };
      const minted = await limited.graphql(
        "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { expiresAt } } }",
        { input: agentKey },
        { token: minter.body.data.createOrganizationKey.secret },
      );
      expect(days(minted.body.data.createApiKey.apiKey.expiresAt)).toBe(5);

      const requestId = await storeConnectionRequest(limited);
      const ofMember = { token: limited.owner };
      const asked = "query ($id: ID!) { connectionRequest(id: $id) { maxDays } }";
      const request = await limited.graphql(asked, { id: requestId }, ofMember);
      expect(request.body.data.connectionRequest).toEqual({ maxDays: 30 });
      const consents = [];
      for (const expiresInDays of [31, 30]) {
        const input = { requestId, agentId: agentKey.agentId, scopes: ["agent_read"], expiresInDays };
        consents.push(codeOf(await limited.graphql(CONNECT, { input }, ofMember)));
      }
      expect(consents).toEqual(["invalid_request", undefined]);
    } finally {
      await limited.close();
    }
  });
});
