import { GatewayError } from "../../src/errors";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { HourlyUse } from "../../src/features/key-usage/hourly-use.entity";
import { UsageRecorder } from "../../src/features/key-usage/usage-recorder";
import { purge } from "../../src/housekeeping";
import { mint, operator } from "../support/gateway";
import { expire, outcomeOf } from "../support/keys";
import { addOrganization } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const USAGE = `query ($period: UsagePeriod! = last_24_hours) {
  keyUsage(period: $period) { apiKey { id name agent { slug } } accepted refused buckets { start accepted refused } }
}`;
const HOUR_MS = 60 * 60 * 1000;
const ORIGIN = { ip: "10.0.0.1", userAgent: "test", requestId: null };

interface Counts {
  start: string;
  accepted: number;
  refused: number;
}
interface Report extends Omit<Counts, "start"> {
  apiKey: { id: string; name: string };
  buckets: Counts[];
}

describeGateway({ engine: "any" }, (gateway) => {
  afterEach(() => jest.restoreAllMocks());

  const usage = async (period = "last_24_hours", token = gateway.owner): Promise<Report[]> => {
    const { body } = await gateway.graphql(USAGE, { period }, { token });
    expect(body.errors).toBeUndefined();
    return body.data.keyUsage;
  };
  const usageOf = async (id: string, period?: string) =>
    (await usage(period)).find(({ apiKey }) => apiKey.id === id);
  /** Returns a recorder that acts for another process. The test sees its failures. */
  const anotherUsage = () => new UsageRecorder(gateway.services.database, () => undefined);
  const at = (time: number | string) =>
    jest.spyOn(Date, "now").mockReturnValue(typeof time === "number" ? time : Date.parse(time));
  const known = async (id: string) => {
    const { id: organizationId } = await gateway.services.organizations.bySlug("first");
    return { id, hint: "agk_dev_hint", name: "known", organizationId };
  };
  /** Counts a key's uses at a given time and writes them, as a server process would. */
  async function use(id: string, time: string | number, { accepted = 0, refused = 0 }): Promise<void> {
    const key = await known(id);
    const process = anotherUsage();
    at(time);
    for (let i = 0; i < accepted; i++) process.accepted(id, ORIGIN);
    for (let i = 0; i < refused; i++) process.rejected(key, ORIGIN);
    await process.flush({ all: true });
    jest.restoreAllMocks();
  }
  const used = ({ buckets }: Report = { buckets: [] } as unknown as Report) =>
    buckets.filter(({ accepted, refused }) => accepted + refused > 0);

  test("each request of a key is counted, accepted or rejected, at either API", async () => {
    const { id, secret } = await mint(gateway);
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
    await gateway.rest("GET", "/v1/pets?limit=0", { token: secret });
    await gateway.services.keys.revoke(await operator(gateway), id);
    expect(await outcomeOf(gateway, secret)).toBe("key_revoked");
    await gateway.services.usageRecorder.flush({ all: true });
    for (const period of ["last_24_hours", "last_30_days"]) {
      expect(await usageOf(id, period)).toMatchObject({ accepted: 3, refused: 2 });
    }
  });

  test("an expired key that was presented is shown with its rejections", async () => {
    const { id, secret } = await mint(gateway);
    await expire(gateway, id);
    await outcomeOf(gateway, secret);
    await gateway.services.usageRecorder.flush({ all: true });
    expect(await usageOf(id)).toMatchObject({ accepted: 0, refused: 2 });
  });

  test("24 hours have 24 buckets of an hour, oldest first and the current one last", async () => {
    const { id } = await mint(gateway);
    const now = Date.parse("2025-05-10T12:34:56.789Z");
    await use(id, "2025-05-09T12:59:59.999Z", { accepted: 7 });
    await use(id, "2025-05-09T13:00:00.000Z", { accepted: 1 });
    await use(id, "2025-05-10T03:30:00.000Z", { accepted: 2, refused: 3 });
    await use(id, now, { refused: 4 });
    at(now);
    const report = await usageOf(id);
    const start = Date.parse("2025-05-09T13:00:00.000Z");
    expect(report?.buckets.map((bucket) => bucket.start)).toEqual(
      Array.from({ length: 24 }, (_, i) => new Date(start + i * HOUR_MS).toISOString()),
    );
    expect(used(report)).toEqual([
      { start: "2025-05-09T13:00:00.000Z", accepted: 1, refused: 0 },
      { start: "2025-05-10T03:00:00.000Z", accepted: 2, refused: 3 },
      { start: "2025-05-10T12:00:00.000Z", accepted: 0, refused: 4 },
    ]);
    expect([report?.accepted, report?.refused]).toEqual([3, 7]);
  });

  test("30 days have 30 buckets of a day in UTC, the current one last", async () => {
    const { id } = await mint(gateway);
    await use(id, "2024-02-29T23:59:59.999Z", { accepted: 1 });
    await use(id, "2024-03-01T00:00:00.000Z", { accepted: 2 });
    await use(id, "2024-03-01T23:00:00.000Z", { accepted: 3, refused: 1 });
    await use(id, "2024-02-01T10:00:00.000Z", { accepted: 5 });
    await use(id, "2024-01-31T23:59:59.999Z", { accepted: 100 });
    at("2024-03-01T23:30:00.000Z");
    const report = await usageOf(id, "last_30_days");
    expect(report?.buckets).toHaveLength(30);
    expect(report?.buckets[0]).toEqual({ start: "2024-02-01T00:00:00.000Z", accepted: 5, refused: 0 });
    expect(used(report).slice(1)).toEqual([
      { start: "2024-02-29T00:00:00.000Z", accepted: 1, refused: 0 },
      { start: "2024-03-01T00:00:00.000Z", accepted: 5, refused: 1 },
    ]);
    expect([report?.accepted, report?.refused]).toEqual([11, 1]);
  });

  test("the counts of several processes add up, even if they write at the same time", async () => {
    const keys = [await mint(gateway), await mint(gateway), await mint(gateway)];
    for (let round = 1; round <= 5; round++) {
      const processes = Array.from({ length: 4 }, anotherUsage);
      processes.forEach((process, i) => {
        // Each in a different order, as with real requests.
        for (const { id } of i % 2 === 0 ? keys : [...keys].reverse()) process.accepted(id, ORIGIN);
      });
      await Promise.all(processes.map((process) => process.flush({ all: true })));
      for (const { id } of keys) expect((await usageOf(id))?.accepted).toBe(round * 4);
    }
  });

  test("many keys and more than one hour are written together", async () => {
    const { id } = await mint(gateway);
    const process = anotherUsage();
    at("2023-01-01T10:59:59.999Z");
    process.accepted(id, ORIGIN);
    at("2023-01-01T11:00:00.000Z");
    process.accepted(id, ORIGIN);
    for (let i = 0; i < 12_000; i++) process.accepted(`unknown ${i}`, ORIGIN);
    const write = jest.spyOn(gateway.services.database, "write");
    await process.flush({ all: true });
    // One per hour, and several for the hour with many keys, so that other writers do not wait long.
    expect(write).toHaveBeenCalledTimes(4);
    expect(used(await usageOf(id)).map(({ start }) => start)).toEqual([
      "2023-01-01T10:00:00.000Z",
      "2023-01-01T11:00:00.000Z",
    ]);
    const rows = await gateway.services.database.read((reader) =>
      reader.countBy(HourlyUse, { hour: "2023-01-01T11:00:00.000Z" }),
    );
    expect(rows).toBe(12_001);
  });

  test("counts that could not be written are written by the next attempt, once", async () => {
    const { id } = await mint(gateway);
    const process = anotherUsage();
    process.accepted(id, ORIGIN);
    const rename = (from: string, to: string) =>
      gateway.services.database.write((tx) => tx.query(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename("hourly_use", "away");
    await expect(process.flush()).rejects.toThrow();
    process.accepted(id, ORIGIN);
    await rename("away", "hourly_use");
    await process.flush();
    await process.flush({ all: true });
    expect((await usageOf(id))?.accepted).toBe(2);
  });

  test("counts whose commit succeeded without a response are counted once, and so are later ones", async () => {
    const { id } = await mint(gateway);
    const key = await known(id);
    const { database } = gateway.services;
    const process = anotherUsage();
    process.accepted(id, ORIGIN);
    process.rejected(key, ORIGIN);
    const write = database.write.bind(database);
    const losing = jest.spyOn(database, "write").mockImplementation(async (unit, manner) => {
      await write(unit, manner);
      throw new GatewayError("unavailable");
    });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(process.flush()).rejects.toThrow();
      process.accepted(id, ORIGIN);
      process.rejected(key, ORIGIN);
    }
    losing.mockRestore();
    await process.flush({ all: true });
    expect(await usageOf(id)).toMatchObject({ accepted: 3, refused: 3 });
    const entries = await database.read((reader) => reader.findBy(AuditEntry, { targetId: id, actorId: id }));
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });

  test("counts are written a second after the first use, and then at most every five seconds", async () => {
    const { id } = await mint(gateway);
    const process = anotherUsage();
    const start = performance.now();
    const seen: (number | undefined)[] = [];
    for (const second of [0, 1, 4, 5]) {
      const clock = jest.spyOn(performance, "now").mockReturnValue(start + second * 1000);
      process.accepted(id, ORIGIN);
      await process.flush();
      clock.mockRestore();
      seen.push((await usageOf(id))?.accepted);
    }
    expect(seen).toEqual([1, 1, 1, 4]);
  });

  slowTest("at most 100 keys are listed, most presented first, and none that was not presented", async () => {
    const org = await addOrganization(gateway, "busy");
    const counts = [3, 1, 2];
    const ids = [];
    for (const accepted of [...counts, 0]) {
      const { id } = await mint(gateway, { agent: "busy-agent" });
      await use(id, Date.now(), { accepted });
      ids.push(id);
    }
    const { token } = org.manager;
    expect((await usage("last_24_hours", token)).map(({ apiKey }) => apiKey.id)).toEqual([
      ids[0],
      ids[2],
      ids[1],
    ]);
    const process = anotherUsage();
    for (let i = 0; i < 100; i++) {
      const { id } = await mint(gateway, { agent: "busy-agent" });
      process.accepted(id, ORIGIN);
      process.accepted(id, ORIGIN);
    }
    await process.flush({ all: true });
    const most = await usage("last_30_days", token);
    expect(most).toHaveLength(100);
    expect(most.map(({ apiKey }) => apiKey.id)).not.toContain(ids[1]);
    expect(most[0]?.apiKey.id).toBe(ids[0]);
    expect((await usage()).map(({ apiKey }) => apiKey.id)).not.toContain(ids[0]);
  });

  test("a report can contain the keys with the most requests of one outcome, or one key", async () => {
    const { manager } = await addOrganization(gateway, "reported");
    const [busy, bad, fine] = [
      await mint(gateway, { agent: "reported-agent" }),
      await mint(gateway, { agent: "reported-agent" }),
      await mint(gateway, { agent: "reported-agent" }),
    ];
    await use(busy.id, Date.now(), { accepted: 9, refused: 1 });
    await use(bad.id, Date.now(), { refused: 3 });
    await use(fine.id, Date.now(), { accepted: 2 });
    const ask = async (args: string) => {
      const query = `{ keyUsage(${args}) { apiKey { id } accepted refused lastRefusal } }`;
      const { body } = await gateway.graphql(query, {}, { token: manager.token });
      return body.errors?.[0].extensions.code ?? body.data.keyUsage;
    };
    const ids = async (args: string) =>
      (await ask(args)).map(({ apiKey }: { apiKey: { id: string } }) => apiKey.id);
    expect(await ids("first: 2")).toEqual([busy.id, bad.id]);
    expect(await ids("outcome: accepted")).toEqual([busy.id, fine.id]);
    expect(await ids("outcome: refused, first: 1")).toEqual([bad.id]);
    expect(await ask(`keyId: "${fine.id}"`)).toEqual([
      { apiKey: { id: fine.id }, accepted: 2, refused: 0, lastRefusal: null },
    ]);
    expect(await ids('keyId: "nonsense"')).toEqual([]);
    for (const first of [0, 101]) expect(await ask(`first: ${first}`)).toBe("invalid_request");
    const { id: ofFirst } = await mint(gateway);
    await use(ofFirst, Date.now(), { accepted: 1 });
    expect(await ids(`keyId: "${ofFirst}"`)).toEqual([]);
  });

  test("a report shows the reason why a key was last rejected", async () => {
    const { id, secret } = await mint(gateway);
    const lastRefusal = async () => {
      await gateway.services.usageRecorder.flush({ all: true });
      const query = "query ($id: ID) { keyUsage(keyId: $id) { lastRefusal } }";
      const { body } = await gateway.graphql(query, { id }, { token: gateway.owner });
      return body.data.keyUsage[0].lastRefusal;
    };
    const context = await operator(gateway);
    await gateway.services.keys.update(context, { id, allowedNetworks: ["203.0.113.0/24"] });
    expect(await outcomeOf(gateway, secret)).toBe("address_not_allowed");
    expect(await lastRefusal()).toBe("address");
    await gateway.services.keys.revoke(context, id);
    expect(await outcomeOf(gateway, secret)).toBe("key_revoked");
    expect(await lastRefusal()).toBe("inactive");
  });

  slowTest(
    "the totals sum up all keys of the organization, including keys that no report lists",
    async () => {
      const { manager } = await addOrganization(gateway, "summed");
      const totals = async (period: string) => {
        const query = `{ usageTotals(period: ${period}) { accepted refused buckets { start accepted refused } } }`;
        return (await gateway.graphql(query, {}, { token: manager.token })).body.data.usageTotals;
      };
      expect(await totals("last_24_hours")).toMatchObject({ accepted: 0, refused: 0 });
      for (let i = 0; i < 101; i++) {
        const { id } = await mint(gateway, { agent: "summed-agent" });
        await use(id, "2025-05-10T03:30:00.000Z", { accepted: 2, refused: 1 });
        if (i === 0) await use(id, "2025-05-09T03:30:00.000Z", { accepted: 5 });
      }
      at("2025-05-10T12:34:56.789Z");
      const day = await totals("last_24_hours");
      expect(day).toMatchObject({ accepted: 202, refused: 101 });
      expect(day.buckets).toHaveLength(24);
      expect(used(day)).toEqual([{ start: "2025-05-10T03:00:00.000Z", accepted: 202, refused: 101 }]);
      expect(await totals("last_30_days")).toMatchObject({ accepted: 207, refused: 101 });
    },
  );

  test("the last use of a key is still known after the hours of its uses are deleted", async () => {
    const DAYS = 24 * HOUR_MS;
    const now = Date.now();
    const lastUsed = async (id: string) => {
      const query = "query ($id: ID!) { apiKey(id: $id) { lastUsedAt lastUsedIp } }";
      return (await gateway.graphql(query, { id }, { token: gateway.owner })).body.data.apiKey;
    };
    const timeOf = (ago: number) => new Date(now - ago * DAYS).toISOString();
    const [idle, busy, refused] = [await mint(gateway), await mint(gateway), await mint(gateway)];
    for (const { id } of [idle, busy]) await use(id, now - 40 * DAYS, { accepted: 1 });
    await use(idle.id, now - 35 * DAYS, { accepted: 1 });
    await use(idle.id, now - 1 * DAYS, { refused: 1 });
    await use(busy.id, now - 2 * DAYS, { accepted: 1 });
    await use(refused.id, now - 35 * DAYS, { refused: 1 });
    const before = await Promise.all([idle, busy, refused].map(({ id }) => lastUsed(id)));
    expect(before.map(({ lastUsedAt }) => lastUsedAt)).toEqual([timeOf(35), timeOf(2), null]);
    for (let i = 0; i < 2; i++) await purge(gateway.services.database);
    expect(await Promise.all([idle, busy, refused].map(({ id }) => lastUsed(id)))).toEqual(before);
    const { database } = gateway.services;
    expect(await database.read((reader) => reader.countBy(HourlyUse, { keyId: idle.id }))).toBe(1);
    await use(idle.id, now, { accepted: 1 });
    expect((await lastUsed(idle.id)).lastUsedAt).toBe(timeOf(0));
  });

  test("housekeeping keeps the counts of 30 days and deletes counts older than 31 days", async () => {
    const { id } = await mint(gateway);
    const day = 24 * HOUR_MS;
    const now = Date.now();
    const days = [0, 29.9, 30.9, 31.1, 400];
    for (const ago of days) await use(id, now - ago * day, { accepted: 1 });
    const { database } = gateway.services;
    const rows = () => database.read((reader) => reader.countBy(HourlyUse, { keyId: id }));
    expect(await rows()).toBe(days.length);
    const before = await usageOf(id, "last_30_days");
    await purge(database);
    expect(await rows()).toBe(3);
    expect(await usageOf(id, "last_30_days")).toEqual(before);
  });
});
