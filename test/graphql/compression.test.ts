import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { HOUR_MS } from "../../src/common/time";
import { HourlyUse } from "../../src/features/key-usage/hourly-use.entity";
import { sqlite } from "../support/engines";
import { mint } from "../support/gateway";
import { addMember } from "../support/people";
import { slowTest } from "../support/slow-test";
import { suiteGateway } from "../support/suite";

/** The dashboard's query. */
const USAGE = `query ($period: UsagePeriod!) {
  keyUsage(period: $period) {
    accepted refused apiKey { id name hint state agent { id name } } buckets { start accepted refused }
  }
}`;
const AUDIT = "{ auditLog(first: 100) { nodes { id action actorName targetId targetName createdAt } } }";

describe("responses over the wire", () => {
  const gateway = suiteGateway(sqlite, { env: { CORS_ORIGINS: "https://app.example.com" } });

  /** Sends a request without `fetch`, which would decompress the response. */
  const send = (
    path: string,
    { accept, token, body }: { accept?: string; token?: string; body?: object } = {},
  ): Promise<{ bytes: number; encoding: string | undefined; vary: string; etag: string; text: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(`${gateway.url}${path}`, {
        method: body ? "POST" : "GET",
        headers: {
          ...(accept !== undefined && { "accept-encoding": accept }),
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { "content-type": "application/json" }),
        },
      });
      sent.on("response", async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const content = Buffer.concat(chunks);
        const {
          "content-encoding": encoding,
          vary = "",
          etag = "",
          "content-length": length,
        } = response.headers;
        expect(Number(length)).toBe(content.length);
        const decode =
          { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ""] ?? ((same: Buffer) => same);
        resolve({ bytes: content.length, encoding, vary, etag, text: decode(content).toString() });
      });
      sent.on("error", reject);
      sent.end(body && JSON.stringify(body));
    });
  const ask = (query: string, accept?: string, { token = gateway.owner, variables = {} } = {}) =>
    send("/graphql", { accept, token, body: { query, variables } });

  slowTest("the usage of 100 keys takes at most 20 kB", async () => {
    const { services } = gateway;
    let seed = 1;
    // As irregular as real counts, but always the same.
    const random = (max: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % max;
    };
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    for (let key = 0; key < 100; key++) {
      const { id } = await mint(gateway, { name: `Integration number ${key}` });
      const rows = Array.from({ length: 48 }, (_, i) => ({
        keyId: id,
        hour: new Date(hour - (i < 24 ? i : (i - 23) * 24) * HOUR_MS).toISOString(),
        accepted: random(5_000),
        refused: random(3) === 0 ? random(50) : 0,
      }));
      const unique = [...new Map(rows.map((row) => [row.hour, row])).values()];
      await services.database.write((tx) => tx.insert(HourlyUse, unique));
    }
    for (const period of ["last_24_hours", "last_30_days"]) {
      const variables = { period };
      const plain = await ask(USAGE, "identity", { variables });
      expect(JSON.parse(plain.text).data.keyUsage).toHaveLength(100);
      expect(plain.bytes).toBeGreaterThan(150_000);
      const compressed = await ask(USAGE, "gzip, deflate, br, zstd", { variables });
      expect(compressed.text).toBe(plain.text);
      expect(compressed.encoding).toBe("br");
      expect(compressed.bytes).toBeLessThanOrEqual(20_000);
      const zipped = await ask(USAGE, "gzip, deflate", { variables });
      expect([zipped.encoding, zipped.text]).toEqual(["gzip", plain.text]);
      expect(zipped.bytes).toBeLessThanOrEqual(25_000);
    }
  });

  test("are compressed only for clients that accept it, with a Vary header for caches", async () => {
    for (let i = 0; i < 20; i++) await addMember(gateway);
    for (const [accept, encoding] of [
      [undefined, undefined],
      ["identity", undefined],
      ["deflate", undefined],
      ["br;q=0, gzip", "gzip"],
      ["gzip;q=0", undefined],
    ] as const) {
      const reply = await ask(AUDIT, accept);
      expect([accept, reply.encoding]).toEqual([accept, encoding]);
      expect(reply.vary.split(", ").sort()).toEqual(["Accept-Encoding", "Origin"]);
      expect(JSON.parse(reply.text).errors).toBeUndefined();
    }
    expect((await ask("{ viewer { id } }", "br")).encoding).toBeUndefined();
  });

  test("that can contain a secret are never compressed, however long they are", async () => {
    const many = (field: (i: number) => string) =>
      `mutation { ${Array.from({ length: 10 }, (_, i) => `m${i}: ${field(i)}`).join(" ")} }`;
    const { email, password } = gateway.ownerCredentials;
    const agentId = (await gateway.services.agents.bySlug("first-agent")).id;
    const mutations = [
      many(
        (i) =>
          `createApiKey(input: { agentId: "${agentId}", name: "n ${i}" }) { secret apiKey { id name hint createdAt createdBy } }`,
      ),
      many(
        (i) =>
          `inviteMember(input: { email: "i${i}@example.com" }) { link invitation { id email createdAt expiresAt } }`,
      ),
      many(
        () =>
          `signIn(input: { email: "${email}", password: "${password}" }) { token expiresAt member { id email permissions } }`,
      ),
    ];
    for (const mutation of mutations) {
      const { encoding, text, bytes } = await ask(mutation, "gzip, br");
      expect(JSON.parse(text).errors).toBeUndefined();
      expect([encoding, bytes > 1_400]).toEqual([undefined, true]);
    }
  });

  test("to API keys are not compressed", async () => {
    for (let i = 0; i < 50; i++)
      await gateway.rest("POST", "/v1/pets", {
        body: { name: `A pet with a longer name, number ${i}`, categoryId: 1 },
      });
    const token = gateway.key;
    const list = await ask("{ pets(first: 50) { nodes { id name categoryId } } }", "gzip, br", { token });
    expect([list.encoding, list.bytes > 1_400]).toEqual([undefined, true]);
    expect((await send("/v1/pets?limit=50", { accept: "gzip, br", token })).encoding).toBeUndefined();
  });

  test.each(["/openapi.json", "/schema.graphql"])(
    "%s is compressed, with a tag for each encoding",
    async (path) => {
      const plain = await send(path);
      const tags = [plain.etag];
      for (const accept of ["gzip", "br"]) {
        const reply = await send(path, { accept });
        expect([reply.encoding, reply.text]).toEqual([accept, plain.text]);
        expect(reply.bytes).toBeLessThan(plain.bytes / 4);
        expect(reply.vary).toContain("Accept-Encoding");
        tags.push(reply.etag);
      }
      expect(new Set(tags).size).toBe(3);
    },
  );
});
