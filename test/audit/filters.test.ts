import { auditLog, auditPage } from "../support/audit";
import { mint } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { addMember, codeOf, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";

interface Entry {
  id: string;
  action: string;
  actorId: string | null;
  targetId: string;
  createdAt: string;
}

describeGateway({ engine: "any" }, (gateway) => {
  let other: TestMember;
  let key: { id: string };
  let all: Entry[];
  beforeAll(async () => {
    other = await addMember(gateway, { manage: true });
    const desk = apiKeyClient(gateway);
    key = await mint(gateway);
    await desk.update(key.id, { name: "renamed" });
    await desk.update(key.id, { name: "renamed again" }, { token: other.token });
    await desk.revoke(key.id, { token: other.token });
    await mint(gateway);
    all = await auditLog(gateway);
  });

  const found = (variables: Record<string, unknown>): Promise<Entry[]> => auditLog(gateway, variables);

  test("entries are listed newest first", () => {
    expect(all.length).toBeGreaterThan(8);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all
        .map(({ createdAt }) => createdAt)
        .sort()
        .reverse(),
    );
    expect(all.at(-1)?.action).toBe("organization_created");
  });

  test("entries are filtered by action, actor and target, alone and together", async () => {
    const action = "api_key_renamed";
    const renamed = all.filter((entry) => entry.action === action);
    expect(renamed).toHaveLength(2);
    expect(await found({ action })).toEqual(renamed);
    const done = all.filter(({ actorId }) => actorId === other.id);
    expect(await found({ actorId: other.id })).toEqual(done);
    expect(await found({ targetId: key.id })).toEqual(all.filter(({ targetId }) => targetId === key.id));
    const together = await found({ action, actorId: other.id, targetId: key.id });
    expect(together).toEqual(renamed.filter(({ actorId }) => actorId === other.id));
    expect(together).toHaveLength(1);
  });

  test("entries are filtered by a start and an end, in any time zone", async () => {
    const moment = all[Math.floor(all.length / 2)]?.createdAt ?? "";
    const east = new Date(Date.parse(moment) + 3_600_000).toISOString().replace("Z", "+01:00");
    const from = all.filter(({ createdAt }) => createdAt >= moment);
    for (const since of [moment, east]) expect(await found({ since })).toEqual(from);
    for (const until of [moment, east]) {
      expect(await found({ until })).toEqual(all.filter(({ createdAt }) => createdAt < moment));
    }
    expect(await found({ since: moment, until: moment })).toEqual([]);
  });

  test("the earliest and latest possible times find all or nothing", async () => {
    expect(await found({ since: "0001-01-01T00:00:00Z" })).toEqual(all);
    expect(await found({ since: "9999-12-31T23:59:59-12:00" })).toEqual([]);
    expect(await found({ until: "9999-12-31T23:59:59-12:00" })).toEqual(all);
    expect(await found({ since: "0000-01-01T00:00:00+12:00" })).toEqual(all);
  });

  test("impossible IDs find nothing", async () => {
    for (const id of ["", "1", "\0", "018f0000-0000-7000-8000-000000000000"]) {
      expect([...(await found({ actorId: id })), ...(await found({ targetId: id }))]).toEqual([]);
    }
  });

  test("pages continue without gaps or repeats, even with a filter", async () => {
    for (const filter of [{}, { targetId: key.id }]) {
      const seen: Entry[] = [];
      let after: string | null = null;
      do {
        const { nodes, pageInfo } = await auditPage(gateway, { ...filter, first: 3, after });
        seen.push(...nodes);
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      } while (after !== null);
      expect(seen).toEqual(await found(filter));
    }
  });

  test("an unknown action, a bad page size and a foreign cursor are rejected", async () => {
    const { endCursor } = (await apiKeyClient(gateway).list()).body.data.apiKeys.pageInfo;
    const ask = async (args: string) =>
      codeOf(await gateway.graphql(`{ auditLog(${args}) { nodes { id } } }`, {}, { token: gateway.owner }));
    expect(await ask("action: never_done")).toBe("graphql_validation_failed");
    expect(await ask("first: 101")).toBe("invalid_request");
    expect(await ask(`after: "${endCursor}"`)).toBe("invalid_cursor");
  });
});
