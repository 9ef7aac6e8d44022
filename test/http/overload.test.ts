import { GatewayError } from "../../src/errors";
import { PET_ORDER } from "../../src/features/pets/pet.entity";
import { type Load, LoadMonitor } from "../../src/http/plugins/load-monitor";
import { onOneEngine } from "../support/engines";
import { mint, startGateway, type TestGateway } from "../support/gateway";
import { addSender, type Sender } from "../support/inbound";
import { PUBLIC_URL } from "../support/lines";
import { addOrganization, firstAgentId } from "../support/people";
import { openRaw, statusesIn } from "../support/raw";
import { waitUntil } from "../support/wait-until";

const NO_LINE = "00000000-0000-7000-8000-000000000000";
/** Headers with an invalid signature. */
const UNPROVEN = {
  "webhook-id": "1",
  "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
  "webhook-signature": "v1,AAAA",
};

const MAX = 5;
/** Max requests in flight for one organization or network. */
const SHARE = 3;
const PET = '{"name":"Rex","categoryId":1}';

onOneEngine((engine) => {
  describe("too many requests in flight", () => {
    let gateway: TestGateway;
    let otherKey: string;
    let sender: Sender;
    let release: () => void;
    let held: Promise<void>;
    /** The process's clock, which decides which requests are late. */
    let clock: jest.SpyInstance<number>;
    let now: number;
    beforeEach(async () => {
      gateway = await startGateway(engine, {
        env: { MAX_REQUESTS_IN_FLIGHT: String(MAX), TRUST_PROXY: "true" },
      });
      await addOrganization(gateway, "other");
      otherKey = (await mint(gateway, { agent: "other-agent" })).secret;
      sender = await addSender(gateway, { agentId: await firstAgentId(gateway), url: PUBLIC_URL });
      const { database } = gateway.services;
      await new Promise<void>((begun) => {
        held = database.write(async (tx) => {
          await tx.lockInsertOrder(PET_ORDER);
          begun();
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        });
      });
      now = performance.now();
      clock = jest.spyOn(performance, "now").mockImplementation(() => now);
    });
    afterEach(async () => {
      clock.mockRestore();
      release();
      await held;
      await gateway.close();
    });

    const add = (token: string, init: { signal?: AbortSignal } = {}) =>
      fetch(`${gateway.url}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: PET,
        ...init,
      });
    const list = (token: string | null = gateway.key) => gateway.rest("GET", "/v1/pets", { token });
    /**
     * Adds pets, which have to wait, until a request for their list is rejected. Each request is sent only after the
     * previous one waits or is rejected: while its key is looked up, a request counts toward the share of its network,
     * which is smaller than the limit for all requests.
     */
    const fill = async (
      { keys = [gateway.key], token = gateway.key }: { keys?: string[]; token?: string | null } = {},
      init?: { signal: AbortSignal },
    ) => {
      const create = jest.spyOn(gateway.services.pets, "create");
      const sent: Promise<{ status: number }>[] = [];
      let answered = 0;
      for (;;) {
        for (const key of keys) {
          const answer = add(key, init).catch(() => ({ status: 0 }));
          sent.push(answer);
          answer.finally(() => answered++);
          await waitUntil(() => create.mock.calls.length + answered >= sent.length);
        }
        const reply = await list(token);
        if (reply.status === 503) return { sent, reply };
      }
    };
    const statuses = async (sent: Promise<{ status: number }>[]) =>
      (await Promise.all(sent)).map(({ status }) => status);
    /** Rejects after the lock is released. */
    const failLater = () => held.then(() => Promise.reject(new GatewayError("invalid_signature")));
    const stored = async (sent: Promise<{ status: number }>[]) =>
      (await statuses(sent)).filter((status) => status === 201).length;

    test("are rejected immediately in the form of their API, for every caller, while the others are answered", async () => {
      const { sent, reply } = await fill({ keys: [gateway.key, otherKey], token: null });
      expect(reply.body).toEqual({ code: "unavailable", message: expect.any(String), status: 503 });
      expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
      for (const key of [gateway.key, otherKey]) expect((await list(key)).status).toBe(503);
      const graphql = await gateway.graphql("{ pets { nodes { id } } }");
      expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([503, "unavailable"]);
      expect(graphql.headers.get("retry-after")).toMatch(/^\d+$/);
      for (const path of ["/healthz", "/readyz"]) expect((await gateway.rest("GET", path)).status).toBe(200);
      release();
      expect(await stored(sent)).toBe(MAX);
      expect((await list()).body).toHaveLength(MAX);
      expect(gateway.log().match(/requests are rejected/g)).toHaveLength(1);
      expect(gateway.log()).not.toContain('"status":503');
    });

    test("count while their work continues, even after their clients have disconnected, but no longer", async () => {
      const client = new AbortController();
      const { sent } = await fill({}, { signal: client.signal });
      client.abort();
      expect((await statuses(sent)).filter((status) => status === 0)).toHaveLength(SHARE);
      expect((await list()).status).toBe(503);
      release();
      await held;
      const answered = async (): Promise<unknown[]> => {
        const { status, body } = await list();
        return status === 200 && body.length === SHARE ? body : answered();
      };
      await answered();
      // All are accepted, so no slot is still taken.
      const again = Array.from({ length: SHARE }, () => add(gateway.key));
      expect(await statuses(again)).toEqual(Array(SHARE).fill(201));
    });

    test("count while their event streams are being opened, but no longer if their clients disconnect", async () => {
      const { liveEvents } = gateway.services;
      const open = liveEvents.follow.bind(liveEvents);
      const follow = jest.spyOn(liveEvents, "follow").mockImplementation(async (...options) => {
        await held;
        return open(...options);
      });
      const client = new AbortController();
      const headers = { authorization: `Bearer ${gateway.key}`, accept: "text/event-stream" };
      const streams = Array.from({ length: SHARE }, () =>
        fetch(`${gateway.url}/agent/events`, { headers, signal: client.signal }).catch(() => undefined),
      );
      await waitUntil(() => follow.mock.calls.length === SHARE);
      client.abort();
      await Promise.all(streams);
      await waitUntil(async () => (await list(otherKey)).status === 200);
      release();
      await waitUntil(() => liveEvents.open === 0);
      now += 10_000;
      await waitUntil(async () => (await list()).status === 200);
    });

    test("leave a quarter to others if they belong to one organization, and then their keys are not checked", async () => {
      const { sent } = await fill();
      const resolve = jest.spyOn(gateway.services.acceptedKeys, "resolve");
      for (let i = 0; i < 5; i++) expect((await list()).status).toBe(503);
      expect(resolve).not.toHaveBeenCalled();
      expect([(await list(otherKey)).status, (await list(null)).status]).toEqual([200, 401]);
      release();
      expect(await stored(sent)).toBe(SHARE);
    });

    test("leave a quarter to others if their bodies are all completed at the same time", async () => {
      const connections = Array.from({ length: MAX + 1 }, () => openRaw(gateway.url));
      const resolve = jest.spyOn(gateway.services.acceptedKeys, "resolve");
      const head =
        `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\n` +
        `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${PET.length}\r\n\r\n`;
      for (const [i, { socket }] of connections.entries()) {
        socket.write(head + PET.slice(0, -1));
        await waitUntil(() => resolve.mock.calls.length > i);
        // A request counts toward its network until its key is checked, and only a few may count at a time.
        await resolve.mock.results[i]?.value;
      }
      for (const { socket } of connections) socket.write(PET.slice(-1));
      const rejected = connections.map(({ closed }) => closed);
      expect(statusesIn(await Promise.race(rejected))).toEqual([503]);
      expect((await list(otherKey)).status).toBe(200);
      release();
      const answers = (await Promise.all(rejected)).flatMap(statusesIn);
      expect(answers.filter((status) => status === 201)).toHaveLength(SHARE);
    });

    test("leave a quarter to others if their callers are unknown and on the same network", async () => {
      const lineFor = jest.spyOn(gateway.services.inbound, "lineFor").mockImplementation(failLater);
      const deliver = (address: string) => {
        const headers = { "x-forwarded-for": address, ...UNPROVEN };
        return gateway.rest("POST", `/inbound/${NO_LINE}`, { token: null, headers, body: {} });
      };
      const listFrom = async (address: string, token: string | null) =>
        (await gateway.rest("GET", "/v1/pets", { token, headers: { "x-forwarded-for": address } })).status;
      await list();
      const waiting = Array.from({ length: SHARE }, (_, i) => deliver(`2001:db8:1:${i}::1`));
      await waitUntil(() => lineFor.mock.calls.length === SHARE);
      expect((await deliver("2001:db8:1:ff::1")).status).toBe(503);
      expect(await listFrom("2001:db8:1:ff::1", null)).toBe(503);
      expect(await listFrom("2001:db8:1:ff::1", gateway.key)).toBe(200);
      expect(await listFrom("2001:db8:2::1", null)).toBe(401);
      release();
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(SHARE).fill(401));
    });

    test("leave a quarter to others if they are signed for one organization's lines", async () => {
      const receive = jest.spyOn(gateway.services.inbound, "receive").mockImplementation(failLater);
      const waiting = Array.from({ length: SHARE }, (_, i) => sender.text("+14155550123", `text ${i}`));
      await waitUntil(() => receive.mock.calls.length === SHARE);
      expect((await sender.text("+14155550123", "too many")).status).toBe(503);
      expect([(await list()).status, (await list(otherKey)).status]).toEqual([503, 200]);
      release();
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(SHARE).fill(401));
      expect(gateway.log()).not.toContain('"status":503');
    });

    test("or fewer late ones are rejected only for the organization whose requests are late", async () => {
      const create = jest.spyOn(gateway.services.pets, "create");
      const sent = Array.from({ length: SHARE - 1 }, () => add(gateway.key));
      await waitUntil(() => create.mock.calls.length === sent.length);
      now += 1_000;
      for (let i = 0; i < 3; i++) expect((await list(otherKey)).status).toBe(200);
      const reply = await list();
      expect(reply.body).toEqual({ code: "unavailable", message: expect.any(String), status: 503 });
      expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
      const graphql = await gateway.graphql("{ pets { nodes { id } } }");
      expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([503, "unavailable"]);
      expect((await list(otherKey)).status).toBe(200);
      release();
      expect(await statuses(sent)).toEqual(sent.map(() => 201));
      expect((await list()).status).toBe(200);
      expect(gateway.log().match(/requests are rejected/g)).toHaveLength(1);
      expect(gateway.log()).not.toContain('"status":503');
    });
  });
});

describe("the load monitor's limits", () => {
  let now: number;
  let load: LoadMonitor;
  beforeEach(() => {
    now = 12_345;
    load = new LoadMonitor(1_000, () => now);
  });
  const begin = (count: number, owner?: string) =>
    Array.from({ length: count }, (_, i) => load.begin(owner ?? `network ${i}`));
  const end = (loads: readonly Load[]) => {
    for (const each of loads) load.end(each);
  };

  test("one request more than a thousand concurrent ones is an overload", () => {
    const loads = begin(999);
    expect(load.isOverloaded).toBe(false);
    loads.push(...begin(1));
    expect(load.isOverloaded).toBe(true);
    end(loads.slice(0, 1));
    expect(load.isOverloaded).toBe(false);
  });

  test("three quarters of that limit, including unsent responses, overload one owner and no other", () => {
    const loads = begin(750, "a");
    for (const each of loads) load.answer(each);
    expect([load.isOverloaded, load.isOverloadedBy("a"), load.isOverloadedBy("b")]).toEqual([
      false,
      true,
      false,
    ]);
    load.assign(loads[0] as Load, "b");
    expect(load.isOverloadedBy("a")).toBe(false);
    end(begin(10, "a"));
    expect(load.isOverloadedBy("a")).toBe(false);
  });

  test("a quarter of that limit in flight for more than half a second is an overload, until one of them ends", () => {
    const late = begin(250);
    now += 450;
    begin(200);
    expect(load.isOverloaded).toBe(false);
    now += 150;
    expect(load.isOverloaded).toBe(true);
    end(late.slice(0, 1));
    expect(load.isOverloaded).toBe(false);
    now += 100_000;
    expect(load.isOverloaded).toBe(true);
  });

  test("late requests of one owner count up to half of that quarter, even if the owner becomes known later", () => {
    begin(100, "a");
    const unknown = begin(300);
    now += 1_000;
    expect(load.isOverloaded).toBe(true);
    for (const each of unknown) load.assign(each, "a");
    expect([load.isOverloaded, load.isOverloadedBy("a"), load.isOverloadedBy("b")]).toEqual([
      false,
      true,
      false,
    ]);
    const others = begin(125, "b");
    now += 1_000;
    expect([load.isOverloaded, load.isOverloadedBy("b")]).toEqual([true, false]);
    end(others.slice(0, 1));
    expect([load.isOverloaded, load.isOverloadedBy("b")]).toEqual([false, false]);
  });

  test("unsent responses count as requests in flight, but are never late", () => {
    begin(100);
    for (const each of begin(899)) load.answer(each);
    now += 100_000;
    expect(load.isOverloaded).toBe(false);
    begin(1);
    expect(load.isOverloaded).toBe(true);
  });

  test("a few endless requests are not an overload, however many others come and go", () => {
    begin(249);
    for (let i = 0; i < 1_000; i++) {
      now += 37;
      end(begin(50));
      expect(load.isOverloaded).toBe(false);
    }
  });
});
