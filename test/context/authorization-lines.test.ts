import { expectGraphQLError, expectRestError, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  const lines: [string, (key: string) => string[]][] = [
    ["the same key twice", (key) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
    ["a key and then another scheme", (key) => [`Authorization: Bearer ${key}`, "Authorization: Basic eDp5"]],
    ["another scheme and then a key", (key) => ["Authorization: Basic eDp5", `authorization: Bearer ${key}`]],
    ["a key and an empty line", (key) => [`Authorization: Bearer ${key}`, "Authorization:"]],
  ];

  test.each(lines)("Authorization lines with %s are 400 on REST", async (_, headers) => {
    const reply = await sendRaw(gateway.url, ["GET /v1/pets HTTP/1.1", ...headers(gateway.key)]);
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toContain("Bearer <API_KEY>");
  });

  test.each(lines)("Authorization lines with %s are 400 on GraphQL", async (_, headers) => {
    const reply = await sendRaw(
      gateway.url,
      ["POST /graphql HTTP/1.1", "Content-Type: application/json", ...headers(gateway.key)],
      '{"query":"{ whoami { agent { id } } }"}',
    );
    expectGraphQLError(reply, "invalid_request");
  });

  test.each([
    ["Content-Type", "application/json", "application/json"],
    ["Content-Type", "application/json", "text/plain"],
    ["Idempotency-Key", "one", "one"],
    ["Idempotency-Key", "one", "two"],
  ])("two lines of %s, %s and %s, are 400", async (name, first, second) => {
    const lines = [
      `Authorization: Bearer ${gateway.key}`,
      `${name}: ${first}`,
      `${name.toLowerCase()}: ${second}`,
    ];
    const body = '{"message":"Hello"}';
    const json = name === "Content-Type" ? [] : ["Content-Type: application/json"];
    const reply = await sendRaw(gateway.url, ["POST /messages HTTP/1.1", ...lines, ...json], body);
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toContain(`more than one ${name} header`);
    const graphql = await sendRaw(
      gateway.url,
      ["POST /graphql HTTP/1.1", ...lines, ...json],
      '{"query":"{ __typename }"}',
    );
    expect(graphql.status).toBe(400);
  });

  test("an empty Authorization line is 401", async () => {
    const lines = ["GET /v1/pets HTTP/1.1", "Authorization:"];
    expectRestError(await sendRaw(gateway.url, lines), "invalid_api_key");
  });

  test("a key in the query string or a cookie is not accepted as a credential", async () => {
    const reply = await sendRaw(gateway.url, [
      `GET /v1/pets?authorization=Bearer%20${gateway.key}&access_token=${gateway.key} HTTP/1.1`,
      `Cookie: authorization=${gateway.key}; session=${gateway.owner}`,
    ]);
    expectRestError(reply, "unauthenticated");
  });
});
