import { mintApiKey } from "../../src/credentials/token-format";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  const byRest = (authorization: string) =>
    gateway.rest("GET", "/v1/pets", { token: null, headers: { authorization } });
  const byGraphQL = (authorization: string) =>
    gateway.graphql("{ pets { nodes { id } } }", {}, { token: null, headers: { authorization } });

  const lastChanged = (key: string) => key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
  const secretChanged = (key: string) =>
    key.replace(/_(.)([^_]+)$/, (_, c, rest) => `_${c === "A" ? "B" : "A"}${rest}`);

  test.each<[string, (key: string) => string]>([
    ["the Basic scheme", (key) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`],
    ["the Digest scheme", () => 'Digest username="x", realm="y"'],
    ["a key without a scheme", (key) => key],
    ["the scheme without a token", () => "Bearer"],
    ["the scheme and spaces", () => "Bearer    "],
    ["a token with a space in it", (key) => `Bearer ${key.slice(0, 20)} ${key.slice(20)}`],
    ["something after the token", (key) => `Bearer ${key} x`],
    ["two values in one header", (key) => `Bearer ${key}, Bearer ${key}`],
    ["two tokens of one scheme", (key) => `Bearer ${key},${key}`],
    ["a quoted token", (key) => `Bearer "${key}"`],
    ["the scheme twice", (key) => `Bearer Bearer ${key}`],
    ["the name of an inherited property", () => "Bearer __proto__"],
    ["another name of an inherited property", () => "Bearer constructor"],
    ["a short token", () => "Bearer x"],
    ["a token of 4,000 characters", () => `Bearer ${"x".repeat(4000)}`],
    ["bytes beyond ASCII", () => "Bearer \u00ff\u00fe\u00e9"],
    ["quotes for SQL", () => "Bearer '--"],
    ["an unknown key of the right form", () => `Bearer ${mintApiKey("dev").secret}`],
    ["an unknown key of another environment", () => `Bearer ${mintApiKey("live").secret}`],
    ["a key whose last character was changed", (key) => `Bearer ${lastChanged(key)}`],
    ["a key whose secret was changed", (key) => `Bearer ${secretChanged(key)}`],
    ["a key without its last character", (key) => `Bearer ${key.slice(0, -1)}`],
    ["a key with one character more", (key) => `Bearer ${key}A`],
    ["a key in upper case", (key) => `Bearer ${key.toUpperCase()}`],
  ])("%s is 401 through both APIs", async (_, headerOf) => {
    const header = headerOf(gateway.key);
    expectRestError(await byRest(header), "invalid_api_key");
    expectGraphQLError(await byGraphQL(header), "invalid_api_key");
  });

  test("HEAD without a key is 401", async () => {
    expect((await gateway.rest("HEAD", "/v1/pets", { token: null })).status).toBe(401);
  });

  test.each(["bearer", "BEARER", "bEaReR"])("the scheme may be written %s", async (scheme) => {
    expect((await byRest(`${scheme} ${gateway.key}`)).status).toBe(200);
    expect((await byGraphQL(`${scheme} ${gateway.key}`)).status).toBe(200);
  });

  test("the rejection does not repeat the token", async () => {
    const { secret } = mintApiKey("dev");
    expect((await byRest(`Bearer ${secret}`)).text).not.toContain(secret);
    expect((await byGraphQL(`Bearer ${secret}`)).text).not.toContain(secret);
  });
});
