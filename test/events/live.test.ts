import { setTimeout as sleep } from "node:timers/promises";
import type { RequestContext } from "../../src/auth/context";
import { Permission } from "../../src/auth/permissions";
import type { TestDatabase } from "../support/engines";
import { onAnyEngine } from "../support/engines";
import {
  commitEvents,
  type Following,
  lastPosition,
  type TestFollower,
  TRANSPORTS,
} from "../support/followers";
import { mint, operator, startGateway, type TestGateway } from "../support/gateway";
import { expire } from "../support/keys";
import { scrape } from "../support/metrics";
import { addMember, addOrganization, firstAgentId, type TestMember } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const between = (first: bigint, last: bigint): string[] =>
  Array.from({ length: Number(last - first + 1n) }, (_, i) => String(first + BigInt(i)));

describeGateway({ engine: "any" }, (gateway) => {
  let agentId: string;
  const followers: TestFollower[] = [];
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.cut();
  });

  describe.each(Object.entries(TRANSPORTS))("over %s", (name, transport) => {
    const open = async (following: Following, on: TestGateway = gateway): Promise<TestFollower> => {
      const follower = await transport(on, following);
      followers.push(follower);
      return follower;
    };

    slowTest(
      "a stream that is cut 50 times under load and resumed misses nothing and repeats nothing",
      async () => {
        const start = await lastPosition(gateway, agentId);
        const got: string[] = [];
        let cuts = 0;
        const producers = Array.from({ length: 4 }, async () => {
          while (cuts < 50) await commitEvents(gateway, agentId, 1 + Math.floor(Math.random() * 5));
        });
        const followOnce = async (until: (follower: TestFollower) => boolean) => {
          const follower = await open({ token: gateway.key, after: got.at(-1) ?? start });
          await follower.until(until);
          follower.cut();
          got.push(...follower.positions);
        };
        for (; cuts < 50; cuts++) {
          const enough = Math.floor(Math.random() * 30);
          await followOnce(({ positions }) => positions.length >= enough);
        }
        await Promise.all(producers);
        const last = await lastPosition(gateway, agentId);
        if (got.at(-1) !== last) await followOnce(({ positions }) => positions.at(-1) === last);
        expect(got).toEqual(between(BigInt(start) + 1n, BigInt(last)));
      },
    );

    test("no event committed after the revocation of a key is sent", async () => {
      const start = await lastPosition(gateway, agentId);
      const key = await mint(gateway);
      const streams = await Promise.all(
        Array.from({ length: 8 }, () => open({ token: key.secret, after: start })),
      );
      let isOver = false;
      const producers = Array.from({ length: 4 }, async () => {
        while (!isOver) await commitEvents(gateway, agentId, 3);
      });
      await Promise.all(streams.map((stream) => stream.until(({ positions }) => positions.length > 20)));
      const context = await operator(gateway);
      // Locks the row with the positions, so that each event is committed either before or after the revocation.
      const lastBefore = await gateway.services.database.write(async (tx) => {
        await tx.query("update agent_stream set last = last where agent_id = $1", [agentId]);
        await gateway.services.keys.revoke(context, key.id, tx);
        const [row] = await tx.query("select last from agent_stream where agent_id = $1", [agentId]);
        return BigInt(row.last);
      });
      const ends = await Promise.all(streams.map((stream) => stream.end()));
      isOver = true;
      await Promise.all(producers);
      expect(BigInt(await lastPosition(gateway, agentId))).toBeGreaterThan(lastBefore);
      expect(ends).toEqual(streams.map(() => "key_revoked"));
      for (const { positions } of streams) {
        const end = BigInt(positions.at(-1) ?? 0);
        expect(end).toBeLessThanOrEqual(lastBefore);
        expect(positions).toEqual(between(BigInt(start) + 1n, end));
      }
    });

    test("an idle stream ends when its key is revoked, without an event", async () => {
      const key = await mint(gateway);
      const stream = await open({ token: key.secret });
      await gateway.services.keys.revoke(await operator(gateway), key.id);
      expect(await stream.end()).toBe("key_revoked");
      expect(stream.positions).toEqual([]);
    });

    describe("a stream ends, and gets no later event,", () => {
      let organization: { agentId: string; slug: string };
      let key: { id: string; secret: string };
      let member: TestMember;
      beforeEach(async () => {
        const slug = `org-${Math.random().toString(36).slice(2)}`;
        const { agentId: id } = await addOrganization(gateway, slug);
        organization = { agentId: id, slug };
        key = await mint(gateway, { agent: `${slug}-agent` });
        member = await addMember(gateway, { org: slug, permissions: [Permission.conversations_read] });
      });

      const context = () => operator(gateway, organization.slug);
      const revoke = async () => gateway.services.keys.revoke(await context(), key.id);
      const deactivate = async () => gateway.services.organizations.deactivate(await context());
      const endings: [string, "key" | "member", string, () => Promise<unknown>][] = [
        ["when its key is revoked", "key", "key_revoked", revoke],
        [
          "when its key is limited to other networks",
          "key",
          "address_not_allowed",
          async () =>
            gateway.services.keys.update(await context(), { id: key.id, allowedNetworks: ["192.0.2.0/24"] }),
        ],
        ["when its key expires", "key", "key_expired", () => expire(gateway, key.id)],
        ["when its key's organization is deactivated", "key", "key_not_resolvable", deactivate],
        ["when its member's organization is deactivated", "member", "organization_deactivated", deactivate],
        [
          "when its member signs out",
          "member",
          "invalid_session",
          () => gateway.graphql("mutation { signOut { wasActive } }", {}, { token: member.token }),
        ],
        [
          "when its member loses the permission",
          "member",
          "forbidden",
          async () =>
            gateway.services.members.revokePermission(await context(), {
              memberId: member.id,
              permission: Permission.conversations_read,
            }),
        ],
      ];
      // Only keys can use the REST API.
      const possible = endings.filter(([, who]) => who === "key" || name === "a subscription");
      test.each(possible)("%s", async (...[, who, code, end]) => {
        const { agentId: id } = organization;
        const after = await lastPosition(gateway, id);
        const stream = await open(
          who === "key" ? { token: key.secret, after } : { token: member.token, agentId: id, after },
        );
        await commitEvents(gateway, id);
        await stream.until(({ positions }) => positions.length === 1);
        await end();
        await commitEvents(gateway, id);
        expect(await stream.end()).toBe(code);
        expect(stream.positions).toEqual([String(BigInt(after) + 1n)]);
      });
    });

    test("it has only the events of its own agent", async () => {
      const { agentId: other } = await addOrganization(gateway, `own-${Math.random().toString(36).slice(2)}`);
      const start = await lastPosition(gateway, agentId);
      const stream = await open({ token: gateway.key, after: start });
      await commitEvents(gateway, other, 5);
      await commitEvents(gateway, agentId);
      await stream.until(({ positions }) => positions.length > 0);
      expect(stream.positions).toEqual([String(BigInt(start) + 1n)]);
    });

    test("it ends if events were purged before they were sent", async () => {
      const start = BigInt(await lastPosition(gateway, agentId));
      const stream = await open({ token: gateway.key, after: String(start) });
      await commitEvents(gateway, agentId);
      await stream.until(({ positions }) => positions.length === 1);
      const { database } = gateway.services;
      await database.write(async (tx) => {
        await tx.query("update agent_stream set last = last + 2 where agent_id = $1", [agentId]);
        await tx.query(
          `insert into event (id, agent_id, position, type, subject, data, created_at)
           values ('01a1fcd4-4d70-7d2f-9c1a-7b2a8d1a3c45', $1, $2, 'line.paused', 'line:1', '{}', $3)`,
          [agentId, String(start + 3n), new Date().toISOString()],
        );
      });
      expect(await stream.end()).toBe("position_expired");
      expect(stream.positions).toHaveLength(1);
      const again = await open({ token: gateway.key, after: String(start + 1n) });
      expect(await again.end()).toBe("position_expired");
    });
  });
});

describeGateway({ engine: "any" }, (gateway) => {
  test("the backlog of one organization delays the streams of others by only a few reads", async () => {
    const { database, liveEvents, sessions } = gateway.services;
    const contextOf = async (org: string) => {
      const { token } = await addMember(gateway, { org, permissions: [Permission.conversations_read] });
      const origin = { ip: null, userAgent: null, requestId: null };
      return { caller: await sessions.resolve(token, origin), origin } as RequestContext;
    };
    const agentId = await firstAgentId(gateway);
    const current = await liveEvents.follow(await contextOf("first"), { agentId });
    const received = current.next();
    const { agentId: busyId } = await addOrganization(gateway, "busy");
    await commitEvents(gateway, busyId, 500);
    const busy = await contextOf("busy");
    const late = await Promise.all(
      between(1n, 200n).map((after) =>
        liveEvents.follow(busy, { agentId: busyId, after, types: ["message.sent"] }),
      ),
    );
    const read = database.read.bind(database);
    let reads = 0;
    jest.spyOn(database, "read").mockImplementation(async (...query) => {
      reads += 1;
      if (reads === 3) await commitEvents(gateway, agentId);
      return read(...query);
    });
    for (const follower of late) void follower.next();
    await received;
    expect(reads).toBeGreaterThan(3);
    expect(reads).toBeLessThan(12);
  });
});

describe("streams of events", () => {
  onAnyEngine((engine) => {
    let database: TestDatabase;
    const gateways: TestGateway[] = [];
    const start = async (env: Record<string, string> = {}) => {
      const gateway = await startGateway(engine, { database, env });
      gateways.push(gateway);
      return gateway;
    };
    beforeEach(async () => {
      database = await engine.createMigratedDatabase();
    });
    afterEach(async () => {
      for (const gateway of gateways.splice(0)) await gateway.close();
      await database.drop();
    });

    test("followers of one process get the events of another", async () => {
      const one = await start();
      const other = await start();
      const agentId = await firstAgentId(one);
      for (const transport of Object.values(TRANSPORTS)) {
        const after = await lastPosition(one, agentId);
        const stream = await transport(other, { token: one.key, after });
        await commitEvents(one, agentId, 3);
        await stream.until(({ positions }) => positions.length === 3);
        stream.cut();
      }
    });

    slowTest(
      "idle streams are not requests in flight, outlive the request timeout, and end when the server stops",
      async () => {
        const gateway = await start({ MAX_REQUESTS_IN_FLIGHT: "10", REQUEST_TIMEOUT_SECONDS: "1" });
        const agentId = await firstAgentId(gateway);
        const after = await lastPosition(gateway, agentId);
        const streams: TestFollower[] = [];
        for (let i = 0; i < 60; i++)
          for (const transport of Object.values(TRANSPORTS))
            streams.push(await transport(gateway, { token: gateway.key, after }));
        while (gateway.services.liveEvents.open < streams.length) await sleep(5);
        // Longer than the request timeout and the sweeps that apply it.
        await sleep(2_500);
        expect((await scrape(gateway)).total("gateway_http_requests_in_flight")).toBe(1);
        await commitEvents(gateway, agentId);
        for (const stream of streams) await stream.until(({ positions }) => positions.length === 1);
        gateways.splice(0);
        const ends = Promise.all(streams.map((stream) => stream.end()));
        await gateway.close();
        expect(await ends).toEqual(streams.map(() => undefined));
      },
    );
  });
});
