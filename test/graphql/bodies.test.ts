import { sendBytes, statusesIn } from "../support/raw";
import { codesOf, expectGraphQLError, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }';
const PERSISTED = { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } };
const json = JSON.stringify;

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    gateway.rest("POST", "/graphql", { body, headers });

  test.each<[string, string | Uint8Array]>([
    ["an empty body", ""],
    ["text", "mutation"],
    ["truncated JSON", `{"query":${json(CREATE)}`],
    ["text after the JSON", `{"query":${json(CREATE)}} x`],
    ["a member twice with two values", `{"query":"{ __typename }","query":${json(CREATE)}}`],
    [
      "bytes that are not UTF-8",
      Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ["a number beyond doubles' range", `{"query":${json(CREATE)},"variables":{"x":1e400}}`],
    ...["1.0000000000000001", "0.99999999999999999999", "4503599627370496.5", "1e-400"].map(
      (number): [string, string] => [
        `the number ${number}, which rounds to an integer`,
        `{"query":${json(CREATE)},"variables":{"input":{"name":"Rex","categoryId":${number}}}}`,
      ],
    ),
    ["a number beyond doubles' precision", `{"query":${json(CREATE)},"variables":{"x":9007199254740993.5}}`],
    [
      "lists 30,000 levels deep",
      `{"query":${json(CREATE)},"variables":${"[".repeat(3e4)}${"]".repeat(3e4)}}`,
    ],
  ])("%s is 400 invalid_json", async (_, body) => {
    expectGraphQLError(await post(body), "invalid_json");
  });

  test.each([
    ["an empty object", "{}"],
    ["a list", "[]"],
    ["a batch", json([{ query: CREATE }, { query: CREATE }])],
    ["a batch of one", json([{ query: "{ __typename }" }])],
    ["a batch of a thousand", json(Array(1_000).fill({ query: "{ __typename }" }))],
    ["null", "null"],
    ["text", json(CREATE)],
    ["a number", "1"],
    ["a large integer", "9223372036854775807"],
    ["no query", json({ variables: {} })],
    ["an empty query", json({ query: "" })],
    ["a query that is null", json({ query: null })],
    ["a query that is a number", json({ query: 1 })],
    ["a query that is a list", json({ query: [CREATE] })],
    ["a query that is an object", json({ query: { query: CREATE } })],
    ["variables that are text", json({ query: CREATE, variables: "{}" })],
    ["variables that are a list", json({ query: CREATE, variables: [] })],
    ["variables that are a number", json({ query: CREATE, variables: 1 })],
    ["an operation name that is a number", json({ query: CREATE, operationName: 1 })],
    ["an operation name that is an object", json({ query: CREATE, operationName: {} })],
    ["extensions that are text", json({ query: CREATE, extensions: "x" })],
    ["extensions that are a list", json({ query: CREATE, extensions: [] })],
    ["a query inside __proto__", `{"__proto__":{"query":${json(CREATE)}}}`],
    ["a persisted query", json({ extensions: PERSISTED })],
    ["a persisted query with its document", json({ query: "{ __typename }", extensions: PERSISTED })],
  ])("%s is 400 invalid_request", async (_, body) => {
    expectGraphQLError(await post(body), "invalid_request");
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/graphql",
    "application/graphql+json",
    "application/json;charset=latin1",
    "application/json; charset=utf-16",
    "application/json; charset=utf8",
    "",
  ])("a body of the type %j is 400 invalid_content_type", async (contentType) => {
    const reply = await post(json({ query: CREATE }), { "content-type": contentType });
    expectGraphQLError(reply, "invalid_content_type");
    expect(reply.body.errors[0].message.includes("charset")).toBe(contentType.includes("charset"));
  });

  test.each(["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])(
    "a body of the type %s is accepted",
    async (contentType) => {
      const reply = await post('{"query":"{ __typename }"}', { "content-type": contentType });
      expect({ status: reply.status, body: reply.body }).toEqual({
        status: 200,
        body: { data: { __typename: "Query" } },
      });
    },
  );

  test("the rejection of a batch says what to send", async () => {
    const reply = await post(json([{ query: "{ __typename }" }]));
    expectGraphQLError(reply, "invalid_request");
    expect(reply.body.errors[0].message).toBe("Batching is not supported: send one operation per request.");
  });

  test.each([
    ["a key that is too short", "GET", ["Connection: Upgrade", "Sec-WebSocket-Key: dGVzdA=="]],
    ["another method", "POST", ["Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]],
    ["no Connection: Upgrade", "GET", ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]],
  ])("the rejection of a WebSocket handshake with %s says so", async (_, method, lines) => {
    const head = [`${method} /graphql HTTP/1.1`, "Host: localhost", "Upgrade: websocket"];
    const answer = await sendBytes(
      gateway.url,
      `${[...head, "Sec-WebSocket-Version: 13", "Connection: close", ...lines].join("\r\n")}\r\n\r\n`,
    );
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toMatch(
      /"message":"(A|The) WebSocket handshake .*"extensions":\{"code":"invalid_request"/,
    );
  });

  test("a body without a content type is 400", async () => {
    const lines = ["POST /graphql HTTP/1.1", `Authorization: Bearer ${gateway.key}`];
    expectGraphQLError(await sendRaw(gateway.url, lines, json({ query: CREATE })), "invalid_content_type");
    const empty = await sendRaw(gateway.url, lines);
    expect({ status: empty.status, code: codesOf(empty)[0] }).toEqual({
      status: 400,
      code: expect.any(String),
    });
  });

  test.each(["", " ", "a b", "localhost:99999", "[", "::::", "a/b@c", "%ZZ"])(
    "the Host header %j is answered below 500",
    async (host) => {
      const reply = await sendRaw(
        gateway.url,
        [
          "POST /graphql HTTP/1.1",
          `Host: ${host}`,
          `Authorization: Bearer ${gateway.key}`,
          "Content-Type: application/json",
        ],
        '{"query":"{ __typename }"}',
      );
      expect([200, 400]).toContain(reply.status);
    },
  );
});
