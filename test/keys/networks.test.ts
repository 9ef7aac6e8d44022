import { auditLog } from "../support/audit";
import { sqlite } from "../support/engines";
import { EventStreamClient } from "../support/event-stream";
import { commitEvents } from "../support/followers";
import { mint, type Reply, startGateway, type TestGateway } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { callTool } from "../support/mcp";
import { codeOf, firstAgentId } from "../support/people";
import { describeGateway, suiteGateway } from "../support/suite";

const from = (address: string) => ({ "x-forwarded-for": address });

/** Returns the outcome of a key, which must be the same at each API. */
async function outcomeFrom(gateway: TestGateway, token: string, headers: Record<string, string> = {}) {
  const rest = await gateway.rest("GET", "/agent/whoami", { token, headers });
  const graphql = await gateway.graphql("{ whoami { key { id } } }", {}, { token, headers });
  const mcp = await callTool(gateway, "whoami", {}, { token, headers });
  const outcomes = [rest, graphql, mcp].map((reply) => `${reply.status} ${codeOf(reply) ?? "accepted"}`);
  expect(new Set(outcomes).size).toBe(1);
  return outcomes[0];
}

const REJECTED = "403 address_not_allowed";
const ACCEPTED = "200 accepted";

describeGateway(
  { engine: "one", env: { TRUST_PROXY: "1", RATE_LIMIT_PER_MINUTE: "100000" } },
  (gateway, engine) => {
    const desk = apiKeyClient(gateway);
    const limitedTo = (...allowedNetworks: string[]) => mint(gateway, { allowedNetworks });

    test.each([
      [
        "10.0.0.0/8",
        ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
        ["11.0.0.0", "9.255.255.255", "::a00:1"],
      ],
      ["192.0.2.7/32", ["192.0.2.7", "::ffff:c000:207"], ["192.0.2.8", "192.0.2.6"]],
      ["2001:db8::/32", ["2001:db8::1", "2001:DB8:FFFF::"], ["2001:db9::1", "32.1.13.184"]],
      ["2001:db8::1/128", ["2001:db8:0:0::1"], ["2001:db8::2"]],
      ["::ffff:192.0.2.0/120", ["192.0.2.9", "::ffff:192.0.2.9"], ["192.0.3.9"]],
      ["0.0.0.0/0", ["203.0.113.1", "::ffff:203.0.113.1"], ["2001:db8::1"]],
      ["::/0", ["2001:db8::1", "::1"], ["203.0.113.1", "::ffff:203.0.113.1"]],
    ])(
      "a key limited to %s is accepted from %j and rejected from %j, at every API",
      async (network, inside, outside) => {
        const { secret } = await limitedTo("198.51.100.0/24", network);
        for (const address of inside)
          expect(await outcomeFrom(gateway, secret, from(address))).toBe(ACCEPTED);
        for (const address of outside)
          expect(await outcomeFrom(gateway, secret, from(address))).toBe(REJECTED);
      },
    );

    test("the address that the trusted proxy adds is used, whatever the client sends before it", async () => {
      const { secret } = await limitedTo("192.0.2.0/24");
      for (const chain of ["192.0.2.1, 203.0.113.9", "192.0.2.1,192.0.2.1,203.0.113.9", "203.0.113.9:192"])
        expect([chain, await outcomeFrom(gateway, secret, from(chain))]).toEqual([chain, REJECTED]);
      for (const chain of ["203.0.113.9, 192.0.2.1", "nonsense, 192.0.2.1", "192.0.2.1:4711"])
        expect([chain, await outcomeFrom(gateway, secret, from(chain))]).toEqual([chain, ACCEPTED]);
      // Without a client address, the connection's address is used, which is not allowed either.
      for (const chain of ["", "nonsense", "192.0.2.1/24", "192.0.2.1 203.0.113.9", "192.0.2.01"])
        expect([chain, await outcomeFrom(gateway, secret, from(chain))]).toEqual([chain, REJECTED]);
      const others = { "x-real-ip": "192.0.2.1", forwarded: "for=192.0.2.1", "x-client-ip": "192.0.2.1" };
      expect(await outcomeFrom(gateway, secret, { ...others, ...from("203.0.113.9") })).toBe(REJECTED);
    });

    test("a change applies from the next request on, in every process", async () => {
      const { id, secret } = await mint(gateway);
      const other = await startGateway(engine, {
        database: { url: gateway.databaseUrl, drop: async () => undefined } as never,
        env: { TRUST_PROXY: "1" },
      });
      try {
        const outcomes = async () => [await outcomeFrom(gateway, secret), await outcomeFrom(other, secret)];
        for (const everywhere of [null, []]) {
          await desk.update(id, { allowedNetworks: ["192.0.2.0/24"] });
          expect(await outcomes()).toEqual([REJECTED, REJECTED]);
          await desk.update(id, { allowedNetworks: everywhere });
          expect(await outcomes()).toEqual([ACCEPTED, ACCEPTED]);
        }
      } finally {
        await other.close();
      }
    });

    test("a rejected use does not count as a use: it is audited and counted per minute, separately from dead keys", async () => {
      const { id, secret, hint } = await limitedTo("192.0.2.0/24");
      const whoami = (headers: Record<string, string>) =>
        gateway.rest("GET", "/agent/whoami", { token: secret, headers });
      const minute = jest.spyOn(Date, "now").mockReturnValue(Date.now());
      for (let i = 0; i < 3; i++) await whoami({ ...from("203.0.113.9"), "user-agent": "stolen" });
      await desk.revoke(id);
      await whoami(from("203.0.113.9"));
      minute.mockRestore();
      await gateway.services.usageRecorder.flush({ all: true });
      const entries = await auditLog(gateway, { targetId: id });
      const rejections = entries.filter(({ action }: { action: string }) => action.endsWith("_refused"));
      expect(rejections).toHaveLength(2);
      expect(rejections).toContainEqual(
        expect.objectContaining({
          action: "api_key_address_refused",
          count: 3,
          actorName: hint,
          ip: "203.0.113.9",
          userAgent: "stolen",
        }),
      );
      expect(rejections).toContainEqual(expect.objectContaining({ action: "api_key_refused", count: 1 }));
      expect((await desk.find(id)).body.data.apiKey).toMatchObject({ lastUsedAt: null, lastUsedIp: null });
      expect(JSON.stringify(entries)).not.toContain(secret);
    });

    test("a response to a key from another network contains neither its rate limit nor its other settings", async () => {
      const { secret } = await mint(gateway, { allowedNetworks: ["192.0.2.0/24"], rateLimitPerMinute: 5 });
      const rejected = await gateway.rest("GET", "/agent/whoami", { token: secret });
      expect(rejected.body).toEqual({
        code: "address_not_allowed",
        message: "The API key may not be used from this address.",
        status: 403,
      });
      expect(rejected.headers.get("ratelimit")).toBeNull();
      expect(rejected.text).not.toContain("192.0.2");
    });

    test("a key's streams end if they were opened from a network that is no longer allowed", async () => {
      const agentId = await firstAgentId(gateway);
      const { id, secret } = await limitedTo("192.0.2.0/24", "198.51.100.0/24");
      const open = (address: string) =>
        EventStreamClient.open(gateway.url, secret, { headers: from(address) });
      const [kept, ended] = [await open("192.0.2.1"), await open("198.51.100.1")];
      await desk.update(id, { allowedNetworks: ["192.0.2.0/24"] });
      await ended.end();
      expect(ended.events).toEqual([
        expect.objectContaining({
          event: "error",
          data: expect.objectContaining({ code: "address_not_allowed" }),
        }),
      ]);
      await commitEvents(gateway, agentId);
      await kept.until(({ events }) => events.length === 1);
      expect(kept.events[0]?.event).toBe("line.paused");
      kept.cut();
    });

    test("whoami shows a key's own settings", async () => {
      const { secret } = await mint(gateway, { allowedNetworks: ["127.0.0.0/8"], rateLimitPerMinute: 1_000 });
      const query = "{ whoami { key { rateLimitPerMinute allowedNetworks } } }";
      const whoami = async (token: string) => (await gateway.graphql(query, {}, { token })).body.data.whoami;
      expect(await whoami(secret)).toEqual({
        key: { rateLimitPerMinute: 1_000, allowedNetworks: ["127.0.0.0/8"] },
      });
      expect(await whoami(gateway.key)).toEqual({ key: { rateLimitPerMinute: null, allowedNetworks: null } });
    });
  },
);

describe("without a trusted proxy", () => {
  const tricks = ["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"];
  describe.each([
    ["no proxy", "false"],
    ["another proxy", "10.0.0.0/8, 192.0.2.1"],
    ["no hop", "0"],
  ])("(%s)", (_, trusted) => {
    const gateway = suiteGateway(sqlite, { env: { TRUST_PROXY: trusted } });

    test("no header moves a client into or out of an allowed network", async () => {
      const elsewhere = await mint(gateway, { allowedNetworks: ["192.0.2.0/24"] });
      const here = await mint(gateway, { allowedNetworks: ["127.0.0.1/32"] });
      // Sends all headers at once: if any of them were used, it would be used here as well.
      for (const value of ["192.0.2.1", "127.0.0.1, 192.0.2.1", "192.0.2.1, 127.0.0.1"]) {
        const headers = Object.fromEntries(tricks.map((name) => [name, value]));
        expect(await outcomeFrom(gateway, elsewhere.secret, headers)).toBe(REJECTED);
        expect(await outcomeFrom(gateway, here.secret, headers)).toBe(ACCEPTED);
      }
      const forwarded = { forwarded: "for=192.0.2.1;by=127.0.0.1" };
      expect(await outcomeFrom(gateway, elsewhere.secret, forwarded)).toBe(REJECTED);
    });
  });
});

describeGateway({ engine: "one" }, (gateway) => {
  const desk = apiKeyClient(gateway);
  const problemsOf = ({ body }: Reply) =>
    body.errors[0].extensions.problems.map(({ path }: { path: string }) => path);

  const NO_NETWORKS = [
    "10.0.0.1",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0/8",
    "10.1.0.0/8",
    "010.0.0.0/8",
    "10.0.0.0/8/8",
    "10.0.0.0/8,11.0.0.0/8",
    "2001:db8::1/32",
    "2001:db8::/129",
    "fe80::%1/10",
    "::ffff:0:0/90",
    "localhost/8",
    "*",
    "",
    " ",
    "\0",
    "1/8",
    "0x0a000000/8",
  ];

  test("an invalid network is rejected with its position", async () => {
    const { id } = await mint(gateway);
    const rejectionOf = (reply: Reply) => [codeOf(reply), problemsOf(reply)];
    const rejected = ["invalid_request", ["input.allowedNetworks.1"]];
    for (const network of NO_NETWORKS) {
      const allowedNetworks = ["192.0.2.0/24", network];
      const created = await desk.create({ name: "no network", allowedNetworks });
      const updated = await desk.update(id, { allowedNetworks });
      const rejections = [network, rejectionOf(created), rejectionOf(updated)];
      expect(rejections).toEqual([network, rejected, rejected]);
    }
    expect((await desk.find(id)).body.data.apiKey.allowedNetworks).toBeNull();
  });

  test("networks are stored in canonical form, each once, in the given order", async () => {
    const { id } = await mint(gateway);
    const networks = [
      "2001:DB8:0:0::/32",
      " 192.0.2.0/24 ",
      "::ffff:10.0.0.0/104",
      "2001:db8::/32",
      "10.0.0.0/08",
      "::FFFF:C000:0200/120",
    ];
    const { body } = await desk.update(id, { allowedNetworks: networks });
    expect(body.data.updateApiKey.allowedNetworks).toEqual(["2001:db8::/32", "192.0.2.0/24", "10.0.0.0/8"]);
  });

  test("a key has at most 40 networks, which the audit log can list", async () => {
    const { id } = await mint(gateway);
    const networks = (count: number) =>
      Array.from(
        { length: count },
        (_, i) => `2001:1111:2222:3333:4444:5555:6666:${(0x1000 + i).toString(16)}/128`,
      );
    const tooMany = await desk.update(id, { allowedNetworks: networks(41) });
    expect([codeOf(tooMany), problemsOf(tooMany)]).toEqual(["invalid_request", ["input.allowedNetworks"]]);
    const most = await desk.update(id, { allowedNetworks: networks(40) });
    expect(most.body.data.updateApiKey.allowedNetworks).toEqual(networks(40));
    const [entry] = await auditLog(gateway, { targetId: id });
    expect(entry.changes).toEqual([
      { field: "allowedNetworks", before: null, after: networks(40).join(", ") },
    ]);
  });
});
