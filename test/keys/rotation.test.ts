import { lockAgent } from "../../src/features/agents/agent-scope";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { actionsOn, auditLog } from "../support/audit";
import { mint, operator, type Reply } from "../support/gateway";
import { apiKeyClient, expire, outcomeOf } from "../support/keys";
import { lockWaits } from "../support/lock-waits";
import { codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const HOUR_MS = 3_600_000;

describeGateway({ engine: "any" }, (gateway, engine) => {
  const desk = apiKeyClient(gateway);

  const rotated = async (id: string, graceSeconds?: number) =>
    (await desk.rotate(id, graceSeconds)).body.data.rotateApiKey;
  const found = async (id: string) => (await desk.find(id)).body.data.apiKey;
  const msUntil = (moment: string) => Date.parse(moment) - Date.now();

  test("without a grace period, the old key is revoked immediately and the new one works", async () => {
    const old = await mint(gateway, { name: "no grace" });
    const { secret, apiKey } = await rotated(old.id);
    expect(await outcomeOf(gateway, old.secret)).toBe("key_revoked");
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    expect(await found(old.id)).toMatchObject({ state: "revoked", replacedById: apiKey.id });
    expect(apiKey).toMatchObject({ name: "no grace", state: "active", agent: { slug: "first-agent" } });
  });

  test("with a grace period, both keys work during it, and only the new one afterwards", async () => {
    const old = await mint(gateway);
    const { secret } = await rotated(old.id, 600);
    expect(await outcomeOf(gateway, old.secret)).toBe("accepted");
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    const { expiresAt, state } = await found(old.id);
    expect(state).toBe("active");
    expect(msUntil(expiresAt)).toBeGreaterThan(590_000);
    expect(msUntil(expiresAt)).toBeLessThanOrEqual(600_000);
    await expire(gateway, old.id);
    expect(await outcomeOf(gateway, old.secret)).toBe("key_expired");
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
  });

  test("the list shows who still uses the old key", async () => {
    const old = await mint(gateway);
    const { secret, apiKey } = await rotated(old.id, 600);
    await outcomeOf(gateway, old.secret);
    await gateway.services.usageRecorder.flush({ all: true });
    const { nodes } = (await desk.list({ first: 100 })).body.data.apiKeys;
    const listed = (id: string) => nodes.find((node: { id: string }) => node.id === id);
    expect(listed(old.id)).toMatchObject({ lastUsedAt: expect.any(String), lastUsedIp: "127.0.0.1" });
    expect(listed(apiKey.id).lastUsedAt).toBeNull();
    await outcomeOf(gateway, secret);
    await gateway.services.usageRecorder.flush({ all: true });
    expect((await found(apiKey.id)).lastUsedAt).toEqual(expect.any(String));
  });

  test("an old key can be revoked during its grace period", async () => {
    const old = await mint(gateway);
    const { secret } = await rotated(old.id, 600);
    await desk.revoke(old.id);
    expect(await outcomeOf(gateway, old.secret)).toBe("key_revoked");
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
  });

  test("the grace period never outlasts the old key's expiration, and the new key has the same lifetime", async () => {
    const expiresAt = new Date(Date.now() + HOUR_MS);
    const old = await mint(gateway, { expiresAt });
    const { apiKey } = await rotated(old.id, 86_400);
    expect((await found(old.id)).expiresAt).toBe(expiresAt.toISOString());
    expect(Math.abs(msUntil(apiKey.expiresAt) - HOUR_MS)).toBeLessThan(10_000);
  });

  test("a key that expires at the end of the year 9999 can be rotated", async () => {
    const { id } = await mint(gateway, { expiresAt: new Date("9999-12-31T23:59:59.999Z") });
    const createdAt = "2020-01-01T00:00:00.000Z";
    await gateway.services.database.write((tx) => tx.update(ApiKey, { id }, { createdAt }));
    const { secret, apiKey } = await rotated(id);
    expect(apiKey.expiresAt).toBe("9999-12-31T23:59:59.999Z");
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
  });

  test("the grace period is 0 to 86,400 seconds", async () => {
    for (const graceSeconds of [-1, 86_401]) {
      const { id, secret } = await mint(gateway);
      const reply = await desk.rotate(id, graceSeconds);
      expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
      expect(await outcomeOf(gateway, secret)).toBe("accepted");
    }
    const { id } = await mint(gateway);
    expect((await rotated(id, 86_400)).apiKey.state).toBe("active");
  });

  test("a revoked, expired or already replaced key cannot be rotated", async () => {
    const [revoked, expired, replaced] = await Promise.all([mint(gateway), mint(gateway), mint(gateway)]);
    await desk.revoke(revoked.id);
    await expire(gateway, expired.id);
    await rotated(replaced.id, 600);
    for (const { id } of [revoked, expired, replaced]) {
      const reply = await desk.rotate(id, 0);
      expect([reply.status, codeOf(reply)]).toEqual([409, "conflict"]);
    }
  });

  /** Revokes a key, and keeps the key that it replaced. */
  const revokeAndKeep = (id: string) =>
    gateway.graphql(
      "mutation ($id: ID!) { revokeApiKey(input: { id: $id, keepReplaced: true }) { state } }",
      { id },
      { token: gateway.owner },
    );
  const isReplaced = async (id: string) => {
    const query = "query ($id: ID!) { apiKey(id: $id) { isReplaced } }";
    return (await gateway.graphql(query, { id }, { token: gateway.owner })).body.data.apiKey.isReplaced;
  };

  test("after its new key is revoked, a key can be changed and rotated again, with its original lifetime", async () => {
    for (const expiresAt of [null, new Date(Date.now() + 2 * HOUR_MS)]) {
      const old = await mint(gateway, { name: `again ${expiresAt}`, expiresAt });
      const { apiKey: next } = await rotated(old.id, 600);
      expect(await isReplaced(old.id)).toBe(true);
      await desk.revoke(next.id);
      expect(await isReplaced(old.id)).toBe(false);
      expect(codeOf(await desk.update(old.id, { name: `still ${expiresAt}` }))).toBeUndefined();
      const { apiKey: last, secret } = await rotated(old.id, 600);
      expect(await outcomeOf(gateway, secret)).toBe("accepted");
      if (expiresAt === null) expect(last.expiresAt).toBeNull();
      else expect(Math.abs(msUntil(last.expiresAt) - 2 * HOUR_MS)).toBeLessThan(10_000);
      expect(await found(old.id)).toMatchObject({ state: "active", replacedById: last.id });
      expect(codeOf(await desk.rotate(old.id, 0))).toBe("conflict");
    }
  });

  test.each([
    ["without a grace period", 0, async () => undefined],
    ["and expired", 60, (id: string) => expire(gateway, id)],
    ["and revoked", 60, (id: string) => desk.revoke(id)],
  ])("a key whose successor was rotated %s is replaced until the last successor ends", async (...args) => {
    const [, graceSeconds, end] = args;
    const old = await mint(gateway);
    const { apiKey: next } = await rotated(old.id, 600);
    const { apiKey: later } = await rotated(next.id, graceSeconds);
    const { apiKey: last } = await rotated(later.id);
    await end(next.id);
    expect(await isReplaced(old.id)).toBe(true);
    expect(codeOf(await desk.rotate(old.id, 0))).toBe("conflict");
    expect((await found(old.id)).replacedById).toBe(next.id);
    await desk.revoke(last.id);
    expect(await isReplaced(old.id)).toBe(false);
    expect(codeOf(await desk.update(old.id, { description: "changed again" }))).toBeUndefined();
    expect(codeOf(await revokeAndKeep(next.id))).toBeUndefined();
    expect(await found(old.id)).toMatchObject({ state: "active", expiresAt: null, replacedById: null });
    expect(codeOf(await desk.rotate(old.id, 0))).toBeUndefined();
  });

  test("a key whose successor is in its own grace period stays replaced after the last key is revoked", async () => {
    const old = await mint(gateway);
    const { apiKey: next } = await rotated(old.id, 600);
    const { apiKey: last } = await rotated(next.id, 60);
    await desk.revoke(last.id);
    expect([await isReplaced(old.id), await isReplaced(next.id)]).toEqual([true, false]);
    expect(codeOf(await desk.rotate(old.id, 0))).toBe("conflict");
  });

  test.each([0, 60])(
    "a rotation is not undone while a key from a later one, with %d s of grace, is active",
    async (grace) => {
      const old = await mint(gateway);
      const { apiKey: next } = await rotated(old.id, 600);
      const { apiKey: last } = await rotated(next.id, grace);
      const before = [await found(old.id), await found(next.id)];
      const { body } = await revokeAndKeep(next.id);
      expect(body.errors?.[0]).toMatchObject({
        message: "A later key that replaced this key is still active.",
        extensions: { code: "conflict" },
      });
      expect([await found(old.id), await found(next.id)]).toEqual(before);
      await desk.revoke(last.id);
      expect(codeOf(await revokeAndKeep(next.id))).toBeUndefined();
      expect(await found(old.id)).toMatchObject({ expiresAt: null, replacedById: null });
    },
  );

  test("a rotation is not undone if its old key expired after its new key was revoked", async () => {
    const old = await mint(gateway);
    const { apiKey: next } = await rotated(old.id, 600);
    await desk.revoke(next.id);
    await expire(gateway, old.id);
    expect(codeOf(await revokeAndKeep(next.id))).toBe("conflict");
  });

  test("the search for a successor in use ends, and a key with too many successors stays replaced", async () => {
    const old = await mint(gateway);
    const { apiKey: next } = await rotated(old.id, 600);
    await desk.revoke(next.id);
    // A key that replaced itself stands for a chain of any length.
    const endless = { replacedById: next.id };
    await gateway.services.database.write((tx) => tx.update(ApiKey, { id: next.id }, endless));
    expect(await isReplaced(old.id)).toBe(true);
    expect(codeOf(await desk.rotate(old.id, 0))).toBe("conflict");
  });

  test("revoking the new key can keep the old one, with its expiry and name", async () => {
    for (const expiresAt of [null, new Date(Date.now() + 2 * HOUR_MS)]) {
      const old = await mint(gateway, { name: `kept ${expiresAt}`, expiresAt });
      const { apiKey: next, secret } = await rotated(old.id, 600);
      expect((await revokeAndKeep(next.id)).body.data.revokeApiKey.state).toBe("revoked");
      expect(await outcomeOf(gateway, secret)).toBe("key_revoked");
      expect(await outcomeOf(gateway, old.secret)).toBe("accepted");
      await gateway.services.usageRecorder.flush({ all: true });
      const kept = await found(old.id);
      expect(kept).toMatchObject({ state: "active", replacedById: null });
      if (expiresAt === null) expect(kept.expiresAt).toBeNull();
      else expect(Math.abs(Date.parse(kept.expiresAt) - +expiresAt)).toBeLessThan(10_000);
      expect(codeOf(await desk.create({ name: `kept ${expiresAt}` }))).toBe("conflict");
      expect(await actionsOn(gateway, old.id)).toEqual([
        "api_key_created",
        "api_key_rotated",
        "api_key_updated",
      ]);
      // A repeat, such as after a lost response, changes nothing.
      expect(codeOf(await revokeAndKeep(next.id))).toBeUndefined();
      expect(await found(old.id)).toEqual(kept);
    }
  });

  test("after retries, a rotation can be undone or repeated as if its first response had arrived", async () => {
    for (const [end, undo] of [[desk.revoke, false] as const, [revokeAndKeep, true] as const]) {
      const old = await mint(gateway, { name: `retried ${undo}` });
      const idempotencyKey = `rotation ${old.id}`;
      for (const _ of [1, 2]) await desk.rotate(old.id, 600, { idempotencyKey });
      const { body } = await desk.rotate(old.id, 600, { idempotencyKey });
      const { apiKey: next } = body.data.rotateApiKey;
      expect(await found(old.id)).toMatchObject({ state: "active", replacedById: next.id });
      expect(codeOf(await end(next.id))).toBeUndefined();
      expect(await isReplaced(old.id)).toBe(false);
      expect((await found(old.id)).expiresAt === null).toBe(undo);
      expect(codeOf(await desk.rotate(old.id, 0))).toBeUndefined();
    }
  });

  test("nothing is revoked if there is no old key to keep", async () => {
    const [alone, expired] = await Promise.all([mint(gateway), mint(gateway)]);
    const { apiKey: next } = await rotated(expired.id, 600);
    await expire(gateway, expired.id);
    for (const id of [alone.id, next.id]) {
      expect(codeOf(await revokeAndKeep(id))).toBe("conflict");
      expect((await found(id)).state).toBe("active");
    }
  });

  test("10 concurrent rotations of a key create one replacement", async () => {
    const { id } = await mint(gateway, { name: "contended" });
    const replies = await Promise.all(Array.from({ length: 10 }, () => desk.rotate(id, 60)));
    expect(replies.map(codeOf).sort()).toEqual([...Array(9).fill("conflict"), undefined]);
    const { nodes } = (await desk.list({ first: 100, state: "active" })).body.data.apiKeys;
    expect(nodes.filter(({ name }: { name: string }) => name === "contended")).toHaveLength(2);
  });

  test("the audit log shows the rotation and the new key", async () => {
    const { id } = await mint(gateway);
    const { apiKey } = await rotated(id, 90);
    expect(await actionsOn(gateway, id)).toEqual(["api_key_created", "api_key_rotated"]);
    expect(await actionsOn(gateway, apiKey.id)).toEqual(["api_key_created"]);
    const [{ changes, createdAt }] = await auditLog(gateway, { targetId: id, action: "api_key_rotated" });
    const { after } = changes.find(({ field }: { field: string }) => field === "expiresAt");
    expect(Math.abs(Date.parse(after) - Date.parse(createdAt) - 90_000)).toBeLessThan(10_000);
  });

  if (engine.name !== "PostgreSQL") return;

  test("replacing a key whose agent is locked does not keep other agents' messages waiting", async () => {
    const agentId = await firstAgentId(gateway);
    await gateway.services.agents.create(await operator(gateway), { slug: "other", name: "Other" });
    const { secret: token } = await mint(gateway, { agent: "other" });
    const { id } = await mint(gateway);
    const minted = { name: "minted again", idempotencyKey: "minted again" };
    await desk.create(minted);
    for (const replace of [() => desk.rotate(id, 0), () => desk.create(minted)]) {
      const replies: Promise<Reply>[] = [];
      await gateway.services.database.write(async (tx) => {
        await lockAgent(tx, agentId);
        replies.push(replace());
        await waitUntil(async () => (await lockWaits(gateway)) > 0);
        const sent = await gateway.rest("POST", "/messages", { body: { message: "Hello" }, token });
        expect(sent.status).toBe(201);
      });
      expect((await Promise.all(replies)).map(codeOf)).toEqual([undefined]);
    }
  });
});
