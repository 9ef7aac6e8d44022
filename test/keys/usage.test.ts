import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { UsageRecorder } from "../../src/features/key-usage/usage-recorder";
import { auditLog } from "../support/audit";
import { mint } from "../support/gateway";
import { apiKeyClient, expire, outcomeOf } from "../support/keys";
import { describeGateway } from "../support/suite";

const at = (ip: string) => ({ ip, userAgent: "test", requestId: null });

describeGateway({ engine: "any" }, (gateway) => {
  const desk = apiKeyClient(gateway);

  const lastUse = async (id: string) => {
    const { lastUsedAt, lastUsedIp } = (await desk.find(id)).body.data.apiKey;
    return { lastUsedAt, lastUsedIp };
  };
  const rejectionsOf = (targetId: string) => auditLog(gateway, { targetId, action: "api_key_refused" });
  /** Returns a recorder that acts for another process. The test sees its failures. */
  const anotherUsage = () => new UsageRecorder(gateway.services.database, () => undefined);

  test("a use is written with its time and address", async () => {
    const { id, secret } = await mint(gateway);
    const before = new Date().toISOString();
    await outcomeOf(gateway, secret);
    await gateway.services.usageRecorder.flush({ all: true });
    const { lastUsedAt, lastUsedIp } = await lastUse(id);
    expect(lastUsedAt >= before && lastUsedAt <= new Date().toISOString()).toBe(true);
    expect(lastUsedIp).toBe("127.0.0.1");
  });

  test("requests do not wait for their use to be written", async () => {
    const { id, secret } = await mint(gateway);
    // As long as this transaction holds the key's row, no other connection can write it.
    await gateway.services.database.write(async (tx) => {
      await tx.update(ApiKey, { id }, { description: null });
      expect(await outcomeOf(gateway, secret)).toBe("accepted");
    });
  });

  test("the last use is written at most every five seconds, even if the clock is set back, and then with the latest values", async () => {
    const { id } = await mint(gateway);
    const usage = anotherUsage();
    usage.accepted(id, at("10.0.0.1"));
    await usage.flush();
    expect((await lastUse(id)).lastUsedIp).toBe("10.0.0.1");
    usage.accepted(id, at("10.0.0.2"));
    usage.accepted(id, at("10.0.0.3"));
    await usage.flush();
    expect((await lastUse(id)).lastUsedIp).toBe("10.0.0.1");
    const later = performance.now() + 5_000;
    const now = jest.spyOn(performance, "now").mockReturnValue(later);
    // The wall clock may be set back.
    const clock = jest.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
    try {
      await usage.flush();
    } finally {
      now.mockRestore();
      clock.mockRestore();
    }
    expect((await lastUse(id)).lastUsedIp).toBe("10.0.0.3");
  });

  test("an older use that another process writes later does not replace a newer one", async () => {
    const { id } = await mint(gateway);
    const [slow, fast] = [anotherUsage(), anotherUsage()];
    slow.accepted(id, at("10.0.0.1"));
    const now = jest.spyOn(Date, "now").mockReturnValue(Date.now() + 1000);
    fast.accepted(id, at("10.0.0.2"));
    now.mockRestore();
    await fast.flush();
    await slow.flush();
    expect((await lastUse(id)).lastUsedIp).toBe("10.0.0.2");
  });

  test("rejected uses of a dead key are counted per minute, across processes, in one entry", async () => {
    const { id } = await mint(gateway);
    const key = (await desk.revoke(id)).body.data.revokeApiKey;
    const known = { ...key, organizationId: await organizationId() };
    const minute = Date.parse("2026-05-01T10:00:30Z");
    const now = jest.spyOn(Date, "now");
    try {
      for (const usage of [anotherUsage(), anotherUsage()]) {
        now.mockReturnValue(minute);
        for (let i = 0; i < 5; i++) usage.rejected(known, at("10.0.0.9"));
        now.mockReturnValue(minute + 60_000);
        usage.rejected(known, at("10.0.0.9"));
        await usage.flush();
      }
    } finally {
      now.mockRestore();
    }
    expect((await rejectionsOf(id)).map(({ count }: { count: number }) => count)).toEqual([2, 10]);
  });

  test("rejected uses that several processes write at the same time are all counted", async () => {
    const organization = await organizationId();
    for (let round = 0; round < 5; round++) {
      const { id, hint } = await mint(gateway);
      const usages = Array.from({ length: 4 }, anotherUsage);
      const minute = jest.spyOn(Date, "now").mockReturnValue(Date.parse("2026-05-01T10:00:30Z"));
      for (const usage of usages) {
        usage.rejected({ id, hint, name: "contended", organizationId: organization }, at("10.0.0.9"));
      }
      minute.mockRestore();
      await Promise.all(usages.map((usage) => usage.flush()));
      expect((await rejectionsOf(id)).map(({ count }: { count: number }) => count)).toEqual([4]);
    }
  });

  test("the entry for rejected uses shows the key and the address, and contains no secret", async () => {
    const { id, secret, hint } = await mint(gateway, { name: "dead one" });
    await expire(gateway, id);
    await gateway.rest("GET", "/v1/pets", { token: secret, headers: { "user-agent": "curl/8" } });
    await gateway.services.usageRecorder.flush({ all: true });
    const [entry, ...others] = await rejectionsOf(id);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actorKind: "agent",
      actorId: id,
      actorName: hint,
      targetId: id,
      targetName: "dead one",
      ip: "127.0.0.1",
      userAgent: "curl/8",
      requestId: expect.any(String),
      count: 1,
    });
  });

  test("uses that could not be written are written by the next attempt", async () => {
    const { id } = await mint(gateway);
    const usage = anotherUsage();
    usage.accepted(id, at("10.0.0.5"));
    const rename = (from: string, to: string) =>
      gateway.services.database.write((tx) => tx.query(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename("hourly_use", "away");
    await expect(usage.flush()).rejects.toThrow();
    await rename("away", "hourly_use");
    await usage.flush();
    expect((await lastUse(id)).lastUsedIp).toBe("10.0.0.5");
  });

  const organizationId = async () => (await gateway.services.organizations.bySlug("first")).id;
});
