import { actionsOn, auditLog } from "../support/audit";
import { mintForOrganization, startGateway } from "../support/gateway";
import { apiKeyClient, outcomeOf } from "../support/keys";
import { addMember, addOrganization, codeOf } from "../support/people";
import { whileUnavailable } from "../support/retries";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const DAY_MS = 86_400_000;

describeGateway({ engine: "any" }, (gateway, engine) => {
  const desk = apiKeyClient(gateway);

  const minted = async (input: Record<string, unknown>, token = gateway.owner) =>
    (await desk.create(input, { token })).body.data.createApiKey;

  test("a retry revokes the key in the lost response and mints its replacement", async () => {
    const input = { name: "lost answer", idempotencyKey: "retry-1" };
    const first = await minted(input);
    const second = await minted(input);
    expect(second.apiKey).toMatchObject({ name: "lost answer", state: "active" });
    expect(await outcomeOf(gateway, first.secret)).toBe("key_revoked");
    expect(await outcomeOf(gateway, second.secret)).toBe("accepted");
    expect(await actionsOn(gateway, first.apiKey.id)).toContain("api_key_revoked");
    const third = await minted(input);
    expect(await outcomeOf(gateway, second.secret)).toBe("key_revoked");
    expect(await outcomeOf(gateway, third.secret)).toBe("accepted");
  });

  test("a retry of a rotation replaces the key in the lost response, and the old key keeps its grace period", async () => {
    const { apiKey: old, secret } = await minted({ name: "to rotate once" });
    const rotate = async (graceSeconds: number) =>
      (await desk.rotate(old.id, graceSeconds, { idempotencyKey: "rotate-1" })).body;
    const first = (await rotate(600)).data.rotateApiKey;
    const second = (await rotate(600)).data.rotateApiKey;
    expect(second.apiKey).toMatchObject({ name: "to rotate once", state: "active" });
    expect(await outcomeOf(gateway, first.secret)).toBe("key_revoked");
    expect(await outcomeOf(gateway, second.secret)).toBe("accepted");
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    expect((await rotate(60)).errors[0].extensions.code).toBe("idempotency_key_reused");
    await desk.revoke(second.apiKey.id);
    expect((await rotate(600)).errors[0].extensions.code).toBe("conflict");
  });

  /** Mints an organization key that was replaced, and whose successor was revoked. */
  const inGracePeriod = async () => {
    const key = await mintForOrganization(gateway);
    const { body } = await desk.rotate(key.id, 300);
    await desk.revoke(body.data.rotateApiKey.apiKey.id);
    return key;
  };

  test.each([
    ["without an expiry", () => mintForOrganization(gateway)],
    ["with an expiry", () => mintForOrganization(gateway, { expiresAt: new Date(Date.now() + DAY_MS) })],
    ["whose expiry an earlier rotation shortened", inGracePeriod],
  ])("an organization key %s can retry its own rotation, which extends no key", async (_, mintKey) => {
    const { id, secret: token } = await mintKey();
    const { expiresAt } = (await desk.find(id)).body.data.apiKey;
    const replies = [];
    for (const _ of [1, 2, 3]) replies.push(await desk.rotate(id, 60, { token, idempotencyKey: "own" }));
    expect(replies.map(codeOf)).toEqual([undefined, undefined, undefined]);
    const successors = replies.map(({ body }) => body.data.rotateApiKey);
    expect(successors.map(({ apiKey }) => apiKey.expiresAt)).toEqual([expiresAt, expiresAt, expiresAt]);
    const codes = [];
    for (const { secret } of [...successors, { secret: token }])
      codes.push(codeOf(await gateway.graphql("{ whoami { key { id } } }", {}, { token: secret })));
    expect(codes).toEqual(["key_revoked", "key_revoked", undefined, undefined]);
    // Only the retry returns the secret of a key that expires later than the calling key.
    for (const idempotencyKey of [undefined, "other"])
      expect(codeOf(await desk.rotate(successors[2].apiKey.id, 0, { token, idempotencyKey }))).toBe(
        "forbidden",
      );
  });

  test("20 concurrent duplicates end with one live key, whose secret is in the last response", async () => {
    const input = { name: "duplicated", idempotencyKey: "retry-20" };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => whileUnavailable(() => desk.create(input, { token: gateway.owner }))),
    );
    const answers = replies.map(({ body }) => body.data.createApiKey);
    const { nodes } = (await desk.list({ first: 100 })).body.data.apiKeys;
    const made = nodes.filter(({ name }: { name: string }) => name === "duplicated");
    const live = made.filter(({ state }: { state: string }) => state === "active");
    expect([made.length, live.length]).toEqual([20, 1]);

    const created = await auditLog(gateway, { action: "api_key_created" });
    const ids = new Set(made.map(({ id }: { id: string }) => id));
    const last = created.find(({ targetId }: { targetId: string }) => ids.has(targetId));
    expect(last.targetId).toBe(live[0].id);
    const accepted = [];
    for (const { secret, apiKey } of answers) {
      const outcome = await outcomeOf(gateway, secret);
      if (outcome === "accepted") accepted.push(apiKey.id);
      else expect(outcome).toBe("key_revoked");
    }
    expect(accepted).toEqual([live[0].id]);
  });

  slowTest(
    "20 concurrent duplicates at two servers end with one live key, whose secret is in one response",
    async () => {
      const database = { url: gateway.databaseUrl, drop: async () => undefined };
      const other = await startGateway(engine, { database });
      try {
        const input = { name: "at both", idempotencyKey: "retry at both" };
        const replies = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            whileUnavailable(() => apiKeyClient(i % 2 === 0 ? gateway : other).create(input)),
          ),
        );
        expect(replies.map(codeOf)).toEqual(replies.map(() => undefined));
        const secrets = replies.map(({ body }) => body.data.createApiKey.secret);
        const outcomes = await Promise.all(secrets.map((secret) => outcomeOf(other, secret)));
        expect(outcomes.sort()).toEqual(["accepted", ...Array(19).fill("key_revoked")]);
      } finally {
        await other.close();
      }
    },
  );

  test.each([
    ["name", { name: "different" }],
    ["end", { expiresAt: "2999-12-31T23:59:59.000Z" }],
  ])("another %s with the same idempotency key is rejected and mints nothing", async (what, change) => {
    const input = { name: `first of ${what}`, idempotencyKey: `reused for ${what}` };
    const { secret } = await minted(input);
    const reply = await desk.create({ ...input, ...change });
    expect([reply.status, codeOf(reply)]).toEqual([409, "idempotency_key_reused"]);
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
  });

  test("a rejected create leaves its idempotency key free", async () => {
    await minted({ name: "taken" });
    const idempotencyKey = "free again";
    expect(codeOf(await desk.create({ name: "taken", idempotencyKey }))).toBe("conflict");
    expect((await minted({ name: "not taken", idempotencyKey })).apiKey.name).toBe("not taken");
  });

  test("idempotency keys of different members and organizations are independent", async () => {
    const input = { name: "whose", idempotencyKey: "whose" };
    const { secret } = await minted(input);
    const other = await addOrganization(gateway, "elsewhere");
    const foreign = await minted({ ...input, agentId: other.agentId }, other.manager.token);
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    const colleague = await addMember(gateway, { manage: true });
    const reply = await desk.create({ ...input, name: "whose, again" }, { token: colleague.token });
    expect(codeOf(reply)).toBeUndefined();
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    await minted(input);
    expect(await outcomeOf(gateway, secret)).toBe("key_revoked");
    expect(await outcomeOf(gateway, reply.body.data.createApiKey.secret)).toBe("accepted");
    expect(await outcomeOf(gateway, foreign.secret)).toBe("accepted");
  });
});
