import { timestamp } from "../../src/common/time";
import { ERRORS } from "../../src/errors";
import { sqlite } from "../support/engines";
import { mint, type Reply, startGateway } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const LIMIT = 6;

const left = ({ headers }: Reply) => Number(headers.get("ratelimit-remaining"));

describe("with a limit for each key", () => {
  const gateway = suiteGateway(sqlite, { env: { RATE_LIMIT_PER_MINUTE: String(LIMIT) } });
  const byRest = (token: string) => gateway.rest("GET", "/agent/whoami", { token });
  const byGraphQL = (token: string) => gateway.graphql("{ whoami { key { id } } }", {}, { token });

  test("requests beyond it are 429 at both APIs, which count together and say when to retry", async () => {
    const { secret } = await mint(gateway);
    const accepted: Reply[] = [];
    for (let i = 0; i < LIMIT / 2; i++) accepted.push(await byRest(secret), await byGraphQL(secret));
    expect(accepted.map(({ status }) => status)).toEqual(Array(LIMIT).fill(200));
    expect(accepted.map(left)).toEqual([5, 4, 3, 2, 1, 0]);
    const rejected = [await byRest(secret), await byGraphQL(secret)];
    expectRestError(rejected[0] as Reply, "rate_limited");
    expectGraphQLError(rejected[1] as Reply, "rate_limited");
    for (const { headers } of rejected) {
      const seconds = Number(headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(headers.get("ratelimit-reset")).toBe(String(seconds));
    }
  });

  test("every response to a key says what is left, in the current and in the older format", async () => {
    const { secret } = await mint(gateway);
    const calls = [
      () => byRest(secret),
      () => gateway.rest("GET", "/v1/pets?limit=0", { token: secret }),
      () =>
        gateway.rest("POST", "/messages", {
          token: secret,
          body: "{",
          headers: { "content-type": "text/plain" },
        }),
      () => gateway.rest("POST", "/graphql", { token: secret, body: "{" }),
      () => gateway.graphql("{ viewer { id } }", {}, { token: secret }),
      () => byGraphQL(secret),
    ];
    for (const [i, call] of calls.entries()) {
      const { headers } = await call();
      const remaining = LIMIT - 1 - i;
      const reset = headers.get("ratelimit-reset");
      expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith("ratelimit")))).toEqual({
        "ratelimit-policy": `"key";q=${LIMIT};w=60`,
        ratelimit: `"key";r=${remaining};t=${reset}`,
        "ratelimit-limit": String(LIMIT),
        "ratelimit-remaining": String(remaining),
        "ratelimit-reset": reset,
      });
    }
  });

  test("a request beyond it changes nothing", async () => {
    const { secret } = await mint(gateway);
    for (let i = 0; i < LIMIT; i++) await byRest(secret);
    const body = { message: "one too many" };
    expectRestError(await gateway.rest("POST", "/messages", { token: secret, body }), "rate_limited");
    const mutation = 'mutation { sendMessage(input: { text: "one too many" }) { id } }';
    expectGraphQLError(await gateway.graphql(mutation, {}, { token: secret }), "rate_limited");
    const other = await mint(gateway);
    const kept = await gateway.graphql("{ messages { nodes { id } } }", {}, { token: other.secret });
    expect(kept.body.data.messages.nodes).toEqual([]);
  });

  describe("each field of a mutation", () => {
    const messages = (count: number) =>
      `mutation { ${Array.from({ length: count }, (_, i) => `a${i}: sendMessage(input: { text: "x" }) { id }`).join(" ")} }`;

    test("counts as a request", async () => {
      const { secret: token } = await mint(gateway);
      expect(left(await gateway.graphql(messages(4), {}, { token }))).toBe(LIMIT - 4);
      const rejected = await gateway.graphql(messages(3), {}, { token });
      expectGraphQLError(rejected, "rate_limited");
      expect(rejected.headers.get("retry-after")).toBe(rejected.headers.get("ratelimit-reset"));
      expect(rejected.body.errors[0].message).toContain("each field of a mutation counts as one");
      expect(left(rejected)).toBe(1);
      expect((await gateway.graphql(messages(1), {}, { token })).status).toBe(200);
      expectGraphQLError(await gateway.graphql(messages(1), {}, { token }), "rate_limited");
    });

    test("is rejected with 429 while the document runs, even if most errors are 200", async () => {
      const { secret: token } = await mint(gateway);
      const headers = { accept: "application/json" };
      expectGraphQLError(await gateway.graphql(messages(50), {}, { token, headers }), "rate_limited");
    });

    test("counts once under one name, and in fragments", async () => {
      const { secret: token } = await mint(gateway);
      const send = 'sendMessage(input: { text: "x" }) { id }';
      const query = `mutation { ...f a: ${send} } fragment f on Mutation { a: ${send} b: ${send} }`;
      expect(left(await gateway.graphql(query, {}, { token }))).toBe(LIMIT - 2);
    });

    test("beyond the limit changes nothing", async () => {
      const sent = async () => {
        const query = "{ messages(first: 100) { nodes { id } } }";
        const { secret: token } = await mint(gateway);
        return (await gateway.graphql(query, {}, { token })).body.data.messages.nodes.length;
      };
      const before = await sent();
      const { secret: token } = await mint(gateway);
      expectGraphQLError(await gateway.graphql(messages(50), {}, { token }), "rate_limited");
      expect(await sent()).toBe(before);
    });

    test("of a query does not count", async () => {
      const { secret: token } = await mint(gateway);
      const query = "{ a: whoami { key { id } } b: whoami { key { id } } }";
      expect(left(await gateway.graphql(query, {}, { token }))).toBe(LIMIT - 1);
    });
  });

  test("concurrent requests cannot bypass it", async () => {
    const { secret } = await mint(gateway);
    const replies = await Promise.all(Array.from({ length: 3 * LIMIT }, () => byRest(secret)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  });

  test("each key has its own limit, and members, who have none, can still revoke a runaway key", async () => {
    const { id, secret } = await mint(gateway);
    const other = await mint(gateway);
    for (let i = 0; i < LIMIT; i++) await byRest(secret);
    expect((await byRest(secret)).status).toBe(429);
    expect(left(await byRest(other.secret))).toBe(LIMIT - 1);
    const desk = apiKeyClient(gateway);
    for (let i = 0; i < LIMIT; i++) expect((await desk.list()).headers.get("ratelimit-limit")).toBeNull();
    expect((await desk.revoke(id)).status).toBe(200);
  });

  test("a rejected key gets the reason, not its rate limit", async () => {
    const { id, secret } = await mint(gateway);
    const expired = await mint(gateway, { expiresAt: new Date(Date.parse(timestamp()) - 1) });
    for (let i = 0; i < LIMIT; i++) await byRest(secret);
    await apiKeyClient(gateway).revoke(id);
    for (const [token, code] of [
      [secret, "key_revoked"],
      [expired.secret, "key_expired"],
      ["nonsense", "invalid_api_key"],
    ] as const) {
      const reply = await byRest(token);
      expect([reply.status, reply.body.code]).toEqual([ERRORS[code].status, code]);
      expect(reply.headers.get("ratelimit")).toBeNull();
    }
  });
});

test("without the setting, there is no limit and no rate limit header", async () => {
  const gateway = await startGateway(sqlite);
  const replies = await Promise.all(Array.from({ length: 200 }, () => gateway.rest("GET", "/agent/whoami")));
  for (const { status, headers } of replies) {
    expect([status, headers.get("ratelimit"), headers.get("ratelimit-limit")]).toEqual([200, null, null]);
  }
  await gateway.close();
});

describe.each([
  ["a limit for each key", String(LIMIT), LIMIT],
  ["no limit", "0", null],
])("a key with its own limit on a server with %s", (_, setting, ofServer) => {
  const gateway = suiteGateway(sqlite, { env: { RATE_LIMIT_PER_MINUTE: setting } });
  const whoami = (token: string) => gateway.rest("GET", "/agent/whoami", { token });

  test.each([2, 20])("is limited to %i, and others as before", async (own) => {
    const { secret } = await mint(gateway, { rateLimitPerMinute: own });
    const replies: Reply[] = [];
    for (let i = 0; i <= own; i++) replies.push(await whoami(secret));
    expect(replies.map(({ status }) => status)).toEqual([...Array(own).fill(200), 429]);
    expect(replies[0]?.headers.get("ratelimit-policy")).toBe(`"key";q=${own};w=60`);
    expect(replies[0]?.headers.get("ratelimit-limit")).toBe(String(own));
    const { secret: plain } = await mint(gateway);
    const limit = (await whoami(plain)).headers.get("ratelimit-limit");
    expect(limit).toBe(ofServer === null ? null : String(ofServer));
  });

  test("gets a changed limit with the next request, which counts earlier use", async () => {
    const { id, secret } = await mint(gateway, { rateLimitPerMinute: 3 });
    for (let i = 0; i < 3; i++) await whoami(secret);
    expect((await whoami(secret)).status).toBe(429);
    const desk = apiKeyClient(gateway);
    await desk.update(id, { rateLimitPerMinute: 5 });
    expect(left(await whoami(secret))).toBe(1);
    await desk.update(id, { rateLimitPerMinute: 2 });
    expectRestError(await whoami(secret), "rate_limited");
    const mutation = `mutation { a: sendMessage(input: { text: "x" }) { id } b: sendMessage(input: { text: "x" }) { id } }`;
    await desk.update(id, { rateLimitPerMinute: 5 });
    expectGraphQLError(await gateway.graphql(mutation, {}, { token: secret }), "rate_limited");
  });
});
