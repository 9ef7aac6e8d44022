import { PET_ORDER } from "../../src/features/pets/pet.entity";
import { LoadMonitor } from "../../src/http/plugins/load-monitor";
import { onAnyEngine } from "../support/engines";
import { mint, startGateway, type TestGateway } from "../support/gateway";
import { addOrganization } from "../support/people";
import { waitUntil } from "../support/wait-until";

const MAX = 5;

onAnyEngine((engine) => {
  describe("more requests than may be in flight", () => {
    let gateway: TestGateway;
    let otherKey: string;
    let release: () => void;
    let held: Promise<void>;
    /** The clock of the process, which decides what is late. */
    let clock: jest.SpyInstance<number>;
    let now: number;
    beforeEach(async () => {
      gateway = await startGateway(engine, { env: { MAX_REQUESTS_IN_FLIGHT: String(MAX) } });
      await addOrganization(gateway, "other");
      otherKey = (await mint(gateway, { agent: "other-agent" })).secret;
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

    const add = (init: { signal?: AbortSignal } = {}) =>
      fetch(`${gateway.url}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
        body: '{"name":"Rex","categoryId":1}',
        ...init,
      });
    const list = (token: string | null = gateway.key) => gateway.rest("GET", "/v1/pets", { token });
    /** Adds pets, which have to wait, until there are too many of them. */
    const fill = async (init?: { signal: AbortSignal }) => {
      const sent: Promise<{ status: number }>[] = [];
      for (;;) {
        sent.push(add(init).catch(() => ({ status: 0 })));
        const reply = await list();
        if (reply.status === 503) return { sent, reply };
      }
    };
    const statuses = async (sent: Promise<{ status: number }>[]) =>
      (await Promise.all(sent)).map(({ status }) => status);

    test("are rejected immediately in the form of their API, for every caller, while the others are answered", async () => {
      const { sent, reply } = await fill();
      expect(reply.body).toEqual({ code: "unavailable", message: expect.any(String), status: 503 });
      expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
      expect((await list(null)).status).toBe(503);
      const graphql = await gateway.graphql("{ pets { nodes { id } } }");
      expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([503, "unavailable"]);
      expect(graphql.headers.get("retry-after")).toMatch(/^\d+$/);
      for (const path of ["/healthz", "/readyz"]) expect((await gateway.rest("GET", path)).status).toBe(200);
      release();
      expect((await statuses(sent)).filter((status) => status === 201)).toHaveLength(MAX);
      expect((await list()).body).toHaveLength(MAX);
      expect(gateway.log().match(/requests are rejected/g)).toHaveLength(1);
      expect(gateway.log()).not.toContain('"status":503');
    });

    test("count while their work goes on, also when their clients have gone away, and no longer", async () => {
      const client = new AbortController();
      const create = jest.spyOn(gateway.services.pets, "create");
      const { sent } = await fill({ signal: client.signal });
      // One whose caller is still looked up would end with its client, its body unread.
      await waitUntil(() => create.mock.calls.length >= MAX);
      client.abort();
      expect((await statuses(sent)).filter((status) => status === 0)).toHaveLength(MAX);
      expect((await list()).status).toBe(503);
      release();
      await held;
      const answered = async (): Promise<unknown[]> => {
        const { status, body } = await list();
        return status === 200 && body.length === MAX ? body : answered();
      };
      await answered();
      // Each finds a place, so none is still taken.
      expect(await statuses(Array.from({ length: MAX }, () => add()))).toEqual(Array(MAX).fill(201));
    });

    test("and fewer that are late are rejected only for the organization whose requests are late", async () => {
      const create = jest.spyOn(gateway.services.pets, "create");
      const sent = Array.from({ length: MAX - 1 }, () => add());
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

describe("what counts as too much to do", () => {
  let now: number;
  let unsent: number;
  let load: LoadMonitor;
  beforeEach(() => {
    now = 12_345;
    unsent = 0;
    load = new LoadMonitor(
      1_000,
      () => unsent,
      () => now,
    );
  });
  const begin = (count: number, owner?: string) => Array.from({ length: count }, () => load.begin(owner));

  test("a thousand concurrent requests are not; one more is", () => {
    const slots = begin(999);
    expect(load.isOverloaded).toBe(false);
    slots.push(load.begin());
    expect(load.isOverloaded).toBe(true);
    load.end(slots[0] ?? 0);
    expect(load.isOverloaded).toBe(false);
  });

  test("a quarter of that in flight for more than half a second is, until one of them ends", () => {
    const late = begin(250);
    now += 450;
    begin(200);
    expect(load.isOverloaded).toBe(false);
    now += 150;
    expect(load.isOverloaded).toBe(true);
    load.end(late[0] ?? 0);
    expect(load.isOverloaded).toBe(false);
    now += 100_000;
    expect(load.isOverloaded).toBe(true);
  });

  test("the late ones of one owner count up to half of that quarter, also when the owner becomes known later", () => {
    const known = begin(100, "a");
    const unknown = begin(300);
    now += 1_000;
    expect(load.isOverloaded).toBe(true);
    for (const slot of unknown) load.assign(slot, "a");
    expect([load.isOverloaded, load.isOverloadedBy("a"), load.isOverloadedBy("b")]).toEqual([
      false,
      true,
      false,
    ]);
    const others = begin(125, "b");
    now += 1_000;
    expect([load.isOverloaded, load.isOverloadedBy("b")]).toEqual([true, false]);
    load.end(others[0] ?? 0, "b");
    expect([load.isOverloaded, load.isOverloadedBy("b")]).toEqual([false, false]);
    for (const slot of [...known, ...unknown]) load.end(slot, "a");
    begin(126);
    now += 1_000;
    expect([load.isOverloaded, load.isOverloadedBy("a")]).toEqual([true, false]);
  });

  test("answers that have not left count with the others, and are never late", () => {
    begin(100);
    unsent = 899;
    now += 100_000;
    expect(load.isOverloaded).toBe(false);
    unsent++;
    expect(load.isOverloaded).toBe(true);
  });

  test("a few that never end are not, however many others come and go", () => {
    begin(249);
    for (let i = 0; i < 1_000; i++) {
      now += 37;
      for (const slot of begin(50)) load.end(slot);
      expect(load.isOverloaded).toBe(false);
    }
  });
});
