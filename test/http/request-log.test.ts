import { mintSessionToken } from "../../src/credentials/token-format";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

describe("a request ID", () => {
  const gateway = suiteGateway(sqlite);
  const idFor = async (given: string) => {
    const { headers } = await gateway.rest("GET", "/nowhere", { headers: { "x-request-id": given } });
    return headers.get("x-request-id");
  };

  test.each<[string, (key: string) => string]>([
    ["an API key", (key) => key],
    ["an API key without its checksum", (key) => key.slice(0, -6)],
    ["an API key in capitals", (key) => key.toUpperCase()],
    ["an API key after other text", (key) => `id_${key.slice(0, -6)}`],
    ["an API key after letters", (key) => `x${key}`],
    ["the start of a session token", () => `ags_${"A".repeat(43)}`],
    ["a session token after letters", () => `x${mintSessionToken()}`],
  ])("replaces %s, which is in neither the response nor the log", async (_, given) => {
    const id = given(gateway.key);
    expect(await idFor(id)).toMatch(/^[\da-f-]{36}$/);
    expect(gateway.log()).not.toContain(id);
  });

  test.each(["a", "trace-1:2.3_4", "feature-flags_7", "8f14e45f-ceea-467f-a1d0", "tags_1", "a".repeat(64)])(
    "may be %s",
    async (id) => {
      expect(await idFor(id)).toBe(id);
      expect(gateway.log()).toContain(`"reqId":"${id}"`);
    },
  );

  test.each(["", "x".repeat(65), '{"level":60}', "a b", "<script>", '"', "\u00e9", "a\tb"])(
    "is never %j, which is not suitable for logs",
    async (id) => {
      expect(await idFor(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}$/);
      if (id !== "") expect(gateway.log()).not.toContain(`"reqId":${JSON.stringify(id)}`);
    },
  );
});
