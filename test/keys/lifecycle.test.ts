import { actionsOn } from "../support/audit";
import { mint } from "../support/gateway";
import { apiKeyClient, expire, outcomeOf } from "../support/keys";
import { codeOf } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  const desk = apiKeyClient(gateway);

  const minted = async (input: Record<string, unknown>) => (await desk.create(input)).body.data.createApiKey;

  test("a minted key works immediately and says who minted it, for which agent and when", async () => {
    const { secret, apiKey } = await minted({ name: "deploy" });
    expect(apiKey).toEqual({
      id: expect.any(String),
      name: "deploy",
      hint: secret.slice(0, secret.lastIndexOf("_")),
      state: "active",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      createdBy: gateway.ownerCredentials.email,
      expiresAt: null,
      revokedAt: null,
      replacedById: null,
      lastUsedAt: null,
      lastUsedIp: null,
      scopes: null,
      description: null,
      rateLimitPerMinute: null,
      allowedNetworks: null,
      agent: { slug: "first-agent" },
    });
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    const { body } = await gateway.rest("GET", "/agent/whoami", { token: secret });
    expect(body.key).toMatchObject({ id: apiKey.id, name: "deploy", hint: apiKey.hint });
  });

  test("a key minted at the command line says so", async () => {
    const { id } = await mint(gateway);
    expect((await desk.find(id)).body.data.apiKey.createdBy).toBe("command line");
  });

  test("a key is rejected from the next request after its revocation, with 403 at both APIs", async () => {
    const { id, secret } = await mint(gateway);
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    const { revokeApiKey } = (await desk.revoke(id)).body.data;
    expect(revokeApiKey).toMatchObject({ id, state: "revoked", revokedAt: expect.any(String) });
    expect(await outcomeOf(gateway, secret)).toBe("key_revoked");
    for (const [method, path] of [
      ["GET", "/v1/pets"],
      ["POST", "/v1/pets"],
      ["GET", "/v1/pets/1"],
      ["POST", "/messages"],
    ] as const) {
      expect((await gateway.rest(method, path, { token: secret })).status).toBe(403);
    }
  });

  test("revoking twice changes nothing and writes nothing", async () => {
    const { id } = await mint(gateway);
    const first = (await desk.revoke(id)).body.data.revokeApiKey;
    expect((await desk.revoke(id)).body.data.revokeApiKey).toEqual(first);
    expect(await actionsOn(gateway, id)).toEqual(["api_key_created", "api_key_revoked"]);
  });

  test("20 concurrent revocations write one entry", async () => {
    const { id } = await mint(gateway);
    const replies = await Promise.all(Array.from({ length: 20 }, () => desk.revoke(id)));
    expect(new Set(replies.map(({ body }) => body.data.revokeApiKey.revokedAt)).size).toBe(1);
    expect(await actionsOn(gateway, id)).toEqual(["api_key_created", "api_key_revoked"]);
  });

  test("an expired key is rejected with 401 key_expired and listed as expired", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { secret, apiKey } = await minted({ name: "short-lived", expiresAt });
    expect(apiKey).toMatchObject({ expiresAt, state: "active" });
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    await expire(gateway, apiKey.id);
    expect(await outcomeOf(gateway, secret)).toBe("key_expired");
    expect((await gateway.rest("GET", "/v1/pets", { token: secret })).status).toBe(401);
    expect((await desk.find(apiKey.id)).body.data.apiKey.state).toBe("expired");
  });

  test.each(["2020-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"])(
    "a key cannot be minted with the expiration %s",
    async (expiresAt) => {
      const reply = await desk.create({ name: "bad end", expiresAt });
      expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    },
  );

  test("a revoked key that has also expired stays revoked", async () => {
    const { id, secret } = await mint(gateway);
    await desk.revoke(id);
    await expire(gateway, id);
    expect(await outcomeOf(gateway, secret)).toBe("key_revoked");
  });
});
