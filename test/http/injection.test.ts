import { mintApiKey } from "../../src/credentials/token-format";
import { sqlite } from "../support/engines";
import { sendBytes, statusesIn } from "../support/raw";
import { expectGraphQLError, expectRestError, rowsOf } from "../support/rejections";
import { suiteGateway } from "../support/suite";

describe("client input that the server repeats or uses", () => {
  const gateway = suiteGateway(sqlite, { env: { LOG_LEVEL: "trace" }, strict: true });
  beforeAll(async () => {
    await gateway.services.pets.seed(30);
  });

  test.each([
    "%0d%0aX-Injected:%20yes",
    "%0aX-Injected:%20yes",
    "\u010d\u010aX-Injected: yes",
    "%E5%98%8D%E5%98%8AX-Injected:%20yes",
  ])("the line break %j gets into no header", async (text) => {
    const calls: [string, string, Record<string, string>][] = [
      ["GET", `/v1/pets?limit=1&status=${text}`, {}],
      ["GET", `/v1/pets?limit=1&cursor=${text}`, {}],
      ["GET", `/v1/pets?limit=1&${text}`, {}],
      ["GET", `/v1/pets/${text}`, {}],
      ["GET", `/dashboard/${text}`, {}],
      ["GET", `/${text}`, {}],
      ["GET", "/healthz", { "x-request-id": encodeURI(decodeURI(text)) }],
      [
        "OPTIONS",
        "/graphql",
        {
          origin: "https://studio.apollographql.com",
          "access-control-request-headers": encodeURI(decodeURI(text)),
        },
      ],
    ];
    for (const [method, path, headers] of calls) {
      const reply = await gateway.rest(method, path, { headers });
      expect(reply.headers.get("x-injected")).toBeNull();
    }
  });

  test("the link to the next page contains only known parameters, encoded", async () => {
    const reply = await gateway.rest("GET", "/v1/pets?limit=1&status=available");
    expect(reply.headers.get("link")).toMatch(
      /^<\/v1\/pets\?limit=1&status=available&cursor=[\w-]+>; rel="next"$/,
    );
  });

  const POLLUTION = [
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"name":{"__proto__":{"polluted":true}}}',
    '[{"__proto__":{"polluted":true}}]',
    '{"\\u005f_proto__":{"polluted":true}}',
  ];

  test.each(POLLUTION)("the body %s changes no prototype and is rejected", async (body) => {
    for (const path of ["/v1/pets", "/messages"]) {
      expectRestError(await gateway.rest("POST", path, { body }), "invalid_request");
    }
    const mutation = "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }";
    for (const sent of [
      body,
      `{"query":${JSON.stringify(mutation)},"variables":${body.startsWith("[") ? `{"input":${body}}` : body}}`,
      `{"query":${JSON.stringify(mutation)},"variables":{"input":${body}}}`,
    ]) {
      expectGraphQLError(await gateway.graphql("", {}, { body: sent }), "invalid_request");
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("query parameters with the names of inherited properties change no prototype and are rejected", async () => {
    for (const query of [
      "__proto__=x",
      "constructor=x",
      "__proto__[polluted]=x",
      "constructor.prototype.polluted=x",
    ]) {
      expectRestError(await gateway.rest("GET", `/v1/pets?${query}`), "invalid_request");
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("a member named twice with two values is rejected by both APIs, however it is written", async () => {
    const before = await rowsOf(gateway);
    for (const body of [
      '{"name":"Rex","name":"Tom","categoryId":1}',
      '{"name":"Rex","n\\u0061me":"Tom","categoryId":1}',
      '{"name":"Rex","categoryId":1,"categoryId":2}',
      '{"name":"Rex","categoryId":9007199254740993,"categoryId":9007199254740992}',
    ]) {
      expectRestError(await gateway.rest("POST", "/v1/pets", { body }), "invalid_json");
      const sent = `{"query":"mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }","variables":{"input":${body}}}`;
      expectGraphQLError(await gateway.graphql("", {}, { body: sent }), "invalid_json");
    }
    expect(await rowsOf(gateway)).toEqual(before);
  });

  test.each(["gzip", "br", "deflate", "zstd", "x-unknown", "gzip, identity", ""])(
    "a body with Content-Encoding %j is 415 at both APIs, which name the accepted encoding",
    async (encoding) => {
      const headers = { "content-encoding": encoding };
      const rest = await gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 }, headers });
      expectRestError(rest, "unsupported_content_encoding");
      const graphql = await gateway.graphql("{ __typename }", {}, { headers });
      expectGraphQLError(graphql, "unsupported_content_encoding");
      for (const reply of [rest, graphql]) expect(reply.headers.get("accept-encoding")).toBe("identity");
    },
  );

  test("a body with Content-Encoding identity is accepted", async () => {
    const headers = { "content-encoding": "identity" };
    expect((await gateway.graphql("{ __typename }", {}, { headers })).status).toBe(200);
  });

  test("whatever a client sends, log lines of every level stay short and contain no secret", async () => {
    const long = "z".repeat(14_000);
    const { secret } = mintApiKey("dev");
    const host = "Host: localhost\r\nConnection: close\r\n";
    const key = `Authorization: Bearer ${gateway.key}\r\n`;
    const json = (body: string) =>
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const ask = (query: string, operationName?: string) => json(JSON.stringify({ query, operationName }));
    const requests = [
      `GET /${long} HTTP/1.1\r\n${host}\r\n`,
      `GET /v1/pets?${long}=${secret} HTTP/1.1\r\n${host}${key}\r\n`,
      `GET /v1/pets/${long} HTTP/1.1\r\n${host}${key}\r\n`,
      `GET /%ZZ${long} HTTP/1.1\r\n${host}\r\n`,
      `GET /agent/whoami HTTP/1.1\r\n${host}${key}User-Agent: ${long}\r\n\r\n`,
      `GET /agent/whoami HTTP/1.1\r\n${host}${key}X-Forwarded-For: ${long}\r\nReferer: ${long}\r\n\r\n`,
      `GET /agent/whoami HTTP/1.1\r\n${host}${key}X-Request-Id: ${long}\r\n\r\n`,
      `GET /agent/whoami HTTP/1.1\r\n${host}Authorization: Bearer ${long}\r\n\r\n`,
      `GET /agent/whoami HTTP/1.1\r\n${host}Cookie: gateway_session=${gateway.owner}; a=${long}\r\n\r\n`,
      `GET /agent/whoami HTTP/1.1\r\nHost: ${long}\r\nConnection: close\r\n\r\n`,
      `GET /${long}${long} HTTP/1.1\r\n${host}\r\n`,
      `${long} / HTTP/1.1\r\n${host}\r\n`,
      `POST /graphql HTTP/1.1\r\n${host}${key}${ask(`query ${long} { ${long} }`, long)}`,
      `POST /graphql HTTP/1.1\r\n${host}${key}${ask(`query ${long} { __typename }`, long)}`,
      `POST /graphql HTTP/1.1\r\n${host}${key}${ask(`{ pet(id: "${long}${secret}") { id } }`)}`,
      `POST /graphql HTTP/1.1\r\n${host}${key}${json(`{"query":"${long}`)}`,
      `POST /v1/pets HTTP/1.1\r\n${host}${key}${json(`{"${long}":"${secret}"}`)}`,
      `POST /messages HTTP/1.1\r\n${host}${key}Idempotency-Key: ${long}\r\n${json('{"message":"Hello"}')}`,
    ];
    for (const request of requests) {
      expect(statusesIn(await sendBytes(gateway.url, request))).toHaveLength(1);
    }
    const lines = gateway.log().split("\n");
    expect(lines.length).toBeGreaterThan(requests.length / 2);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1000);
    for (const hidden of [secret, gateway.key, gateway.owner, "zzzzzzzz"]) {
      expect(gateway.log()).not.toContain(hidden);
    }
  });
});
