import { mintApiKey, mintSessionToken } from "../../src/credentials/token-format";
import { sqlite } from "../support/engines";
import { mint, startGateway } from "../support/gateway";
import { codeOf } from "../support/people";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const LIMIT = 10;

describe("an address that tries out keys", () => {
  // Each test uses different client addresses.
  const gateway = suiteGateway(sqlite, {
    env: { REFUSED_KEYS_PER_MINUTE: String(LIMIT), TRUST_PROXY: "true" },
  });

  const from = (ip: string) => ({ "x-forwarded-for": ip });
  const present = (token: string, ip: string) =>
    gateway.rest("GET", "/agent/whoami", { token, headers: from(ip) });
  const guess = (ip: string) => present(mintApiKey("dev").secret, ip);
  const tryOut = async (ip: (i: number) => string, count = LIMIT) => {
    const codes = [];
    for (let i = 0; i < count; i++) codes.push(codeOf(await guess(ip(i))));
    return codes;
  };

  test("is rejected with 429 at both APIs, without a database lookup", async () => {
    const ip = "192.0.2.1";
    expect(await tryOut(() => ip)).toEqual(Array(LIMIT).fill("invalid_api_key"));
    const lookup = jest.spyOn(gateway.services.database, "lookup");
    const reply = await guess(ip);
    expectRestError(reply, "too_many_attempts");
    const seconds = Number(reply.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const { secret: token } = mintApiKey("dev");
    expectGraphQLError(
      await gateway.graphql("{ whoami { key { id } } }", {}, { token, headers: from(ip) }),
      "too_many_attempts",
    );
    expect(lookup).not.toHaveBeenCalled();
    lookup.mockRestore();
  });

  test("learns nothing from a correct guess", async () => {
    const ip = "192.0.2.2";
    const { secret } = await mint(gateway);
    await tryOut(() => ip);
    expect(codeOf(await present(secret, ip))).toBe("too_many_attempts");
    expect((await present(secret, "192.0.2.3")).status).toBe(200);
  });

  test("does not lock out neighbors whose key is in use", async () => {
    const ip = "192.0.2.4";
    const { secret } = await mint(gateway);
    expect((await present(secret, ip)).status).toBe(200);
    await tryOut(() => ip, LIMIT + 5);
    expect((await present(secret, ip)).status).toBe(200);
    const member = await gateway.graphql(
      "{ members { id } }",
      {},
      { token: gateway.owner, headers: from(ip) },
    );
    expect(codeOf(member)).toBe(undefined);
  });

  test("locks out neither other addresses nor callers without a key", async () => {
    const ip = "192.0.2.5";
    await tryOut(() => ip);
    expect(codeOf(await guess("192.0.2.6"))).toBe("invalid_api_key");
    const anonymous = await gateway.rest("GET", "/agent/whoami", { token: null, headers: from(ip) });
    expectRestError(anonymous, "unauthenticated");
  });

  test("still learns that a key is revoked, because that is not a guess", async () => {
    const ip = "192.0.2.7";
    const { id, secret } = await mint(gateway);
    await gateway.graphql(
      `mutation { revokeApiKey(input: { id: "${id}" }) { id } }`,
      {},
      { token: gateway.owner },
    );
    for (let i = 0; i < LIMIT + 5; i++) expect(codeOf(await present(secret, ip))).toBe("key_revoked");
    expect(codeOf(await guess(ip))).toBe("invalid_api_key");
  });

  test("may try no more session tokens than keys", async () => {
    const ip = "192.0.2.8";
    for (let i = 0; i < LIMIT; i++) {
      expect(codeOf(await present(mintSessionToken(), ip))).toBe("invalid_session");
    }
    expect(codeOf(await present(mintSessionToken(), ip))).toBe("too_many_attempts");
  });

  test("includes all addresses of its IPv6 /64 network", async () => {
    await tryOut((i) => `2001:db8::${i + 1}`);
    expect(codeOf(await guess("2001:db8:0:0:ffff::1"))).toBe("too_many_attempts");
    expect(codeOf(await guess("2001:db8:0:1::1"))).toBe("invalid_api_key");
  });

  test("is the same, whatever port its proxy adds, but differs from its neighbors", async () => {
    await tryOut((i) => `203.0.113.1:${4000 + i}`);
    expect(codeOf(await guess("203.0.113.1"))).toBe("too_many_attempts");
    expect(codeOf(await guess("203.0.113.2:4000"))).toBe("invalid_api_key");
    await tryOut((i) => `[2001:db8:7::${i + 1}]:4000`);
    expect(codeOf(await guess("2001:db8:7::1"))).toBe("too_many_attempts");
    expect(codeOf(await guess("[2001:db8:8::1]"))).toBe("invalid_api_key");
  });

  test("may send any number of malformed tokens, which lock out no address", async () => {
    const ip = "192.0.2.9";
    const { secret } = await mint(gateway);
    const badChecksum = `${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`;
    for (const token of ["nonsense", "agk_dev_short", "ags_short", badChecksum]) {
      for (let i = 0; i < LIMIT; i++) {
        const code = token.startsWith("ags_") ? "invalid_session" : "invalid_api_key";
        expect(codeOf(await present(token, ip))).toBe(code);
      }
    }
    expect((await present(secret, ip)).status).toBe(200);
  });

  test("is the same when a socket for both IP versions writes it as IPv6", async () => {
    await tryOut((i) => (i % 2 === 0 ? "198.51.100.1" : "::ffff:198.51.100.1"));
    expect(codeOf(await guess("198.51.100.1"))).toBe("too_many_attempts");
    expect(codeOf(await guess("::ffff:198.51.100.2"))).toBe("invalid_api_key");
  });
});

test("a forwarded client address is ignored unless a proxy is trusted", async () => {
  const gateway = await startGateway(sqlite, { env: { REFUSED_KEYS_PER_MINUTE: String(LIMIT) } });
  const codes = [];
  for (let i = 0; i <= LIMIT; i++) {
    const headers = { "x-forwarded-for": `192.0.2.${i}`, forwarded: `for=192.0.2.${i}` };
    codes.push(
      codeOf(await gateway.rest("GET", "/agent/whoami", { token: mintApiKey("dev").secret, headers })),
    );
  }
  expect(codes).toEqual([...Array(LIMIT).fill("invalid_api_key"), "too_many_attempts"]);
  await gateway.close();
});
