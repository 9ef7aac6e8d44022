import { ERRORS, type ErrorCode } from "../../src/errors";
import { mint, operator } from "../support/gateway";
import { scrape } from "../support/metrics";
import { codesOf, expectGraphQLError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const UNKNOWN_ID = "01a1fcd2-254e-77bb-8319-2e26d1494ad2";
const CREATE_KEY = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }";
const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";

/** Media types, by the `Accept` header that a client sends; undefined for the default of browsers' fetch. */
const JSON_CLIENTS = [
  undefined,
  "application/json",
  "application/json, application/graphql-response+json;q=0.5",
];
const OTHER_CLIENTS = [
  "text/plain",
  "image/*;q=0",
  "application/graphql-response+json;q=0, */*",
  ";;,",
  "a/b/c",
];
const GRAPHQL_CLIENTS = [
  "application/graphql-response+json",
  "application/graphql-response+json,application/json;q=0.9",
  "application/json;q=0.2, application/graphql-response+json; charset=utf-8",
];

describeGateway({ engine: "one" }, (gateway) => {
  let revoked: string;
  let unscoped: string;
  let agentId: string;
  beforeAll(async () => {
    const { id, secret } = await mint(gateway);
    await gateway.services.keys.revoke(await operator(gateway), id);
    revoked = secret;
    unscoped = (await mint(gateway, { scopes: ["messages:write"] })).secret;
    agentId = (await gateway.services.agents.bySlug("first-agent")).id;
    await mint(gateway, { name: "taken" });
  });

  type Ask = [query: string, variables?: object, token?: () => string | null];
  /** Requests whose document runs, or would run if it were valid. */
  const RUN: [code: ErrorCode, ...ask: Ask][] = [
    ["forbidden", "{ members { email } }"],
    ["insufficient_scope", "{ pets { nodes { id } } }", {}, () => unscoped],
    [
      "not_found",
      `mutation { revokeApiKey(input: { id: "${UNKNOWN_ID}" }) { id } }`,
      {},
      () => gateway.owner,
    ],
    ["conflict", CREATE_KEY, { input: { name: "taken" } }, () => gateway.owner],
    ["invalid_request", 'mutation { createPet(input: { name: "", categoryId: 1 }) { id } }'],
    ["invalid_request", "query ($id: ID!) { pet(id: $id) { id } }", { id: {} }],
    ["invalid_request", "query A { __typename } query B { __typename }"],
    ["invalid_request", "query ($id: ID = 1) { pet(id: $id) { id } }", { id: null }],
    ["invalid_request", "{ pets(first: 0) { nodes { id } } }"],
    ["graphql_validation_failed", '{ pets(first: "0") { nodes { id } } }'],
    ["invalid_cursor", '{ pets(after: "x") { nodes { id } } }'],
    ["graphql_parse_failed", "{"],
    ["graphql_validation_failed", "{ hats }"],
    ["query_too_complex", `{ ${"__typename ".repeat(600)} }`],
    ["invalid_credentials", SIGN_IN, { input: { password: "wrong" } }, () => null],
  ];
  /** Requests that must be corrected before any document can run. */
  const KEPT: [code: ErrorCode, ...ask: Ask][] = [
    ["unauthenticated", "{ pets { nodes { id } } }", {}, () => null],
    ["invalid_api_key", "{ __typename }", {}, () => "wrong"],
    ["key_revoked", "{ __typename }", {}, () => revoked],
    ["invalid_request", ""],
  ];

  let accounts = 0;
  const ask = (accept: string | undefined, [query, variables = {}, token]: Ask) => {
    const { input, ...others } = variables as { input?: object };
    // Uses a new account each time, because a few wrong passwords lock an account.
    const email = `member${accounts++}@example.com`;
    const added = query === SIGN_IN ? { email } : { agentId };
    return gateway.rest("POST", "/graphql", {
      body: { query, variables: { ...others, ...(input && { input: { ...input, ...added } }) } },
      headers: { ...(accept !== undefined && { accept }) },
      ...(token && { token: token() }),
    });
  };

  test.each(RUN)(
    "%s is 200 as application/json, and has its own status otherwise: %s",
    async (code, ...request) => {
      for (const accept of [...JSON_CLIENTS, ...OTHER_CLIENTS]) {
        const reply = await ask(accept, request);
        expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
        expectGraphQLError(reply, code, 200);
      }
      for (const accept of GRAPHQL_CLIENTS) {
        const reply = await ask(accept, request);
        expect(reply.headers.get("content-type")).toBe("application/graphql-response+json; charset=utf-8");
        expectGraphQLError(reply, code, ERRORS[code].status);
      }
    },
  );

  test.each(KEPT)("%s has the same status for every client", async (code, ...request) => {
    for (const accept of [...JSON_CLIENTS, ...GRAPHQL_CLIENTS]) {
      expectGraphQLError(await ask(accept, request), code, ERRORS[code].status);
    }
  });

  test.each<[code: ErrorCode, what: string, body: string | object, headers?: Record<string, string>]>([
    ["invalid_request", "without a query", {}],
    ["invalid_request", "whose query is not a text", { query: 5 }],
    ["invalid_request", "whose variables are a list", { query: "{ __typename }", variables: [] }],
    ["invalid_request", "whose operation name is not a text", { query: "{ __typename }", operationName: 5 }],
    ["invalid_request", "whose extensions are a text", { query: "{ __typename }", extensions: "x" }],
    ["invalid_request", "for a stored query", { extensions: { persistedQuery: { version: 1 } } }],
    ["invalid_request", "that is a batch", "[]"],
    ["invalid_json", "that is not JSON", "{"],
    ["invalid_content_type", "that is declared as text", "{}", { "content-type": "text/plain" }],
    ["unsupported_content_encoding", "that is compressed", "{}", { "content-encoding": "gzip" }],
    ["payload_too_large", "that is too large", { query: "x".repeat(70_000) }],
  ])("%s has the same status for every client: a body %s", async (code, _, body, headers = {}) => {
    for (const accept of [...JSON_CLIENTS, ...GRAPHQL_CLIENTS]) {
      const reply = await gateway.rest("POST", "/graphql", {
        body,
        headers: { ...headers, ...(accept !== undefined && { accept }) },
      });
      expectGraphQLError(reply, code, ERRORS[code].status);
    }
  });

  test("a response with data is 200 for every client, even if the client does not accept JSON", async () => {
    for (const accept of [...JSON_CLIENTS, ...OTHER_CLIENTS, ...GRAPHQL_CLIENTS]) {
      const reply = await ask(accept, [
        '{ whoami { agent { slug } } pet(id: "1") { id } }',
        {},
        () => unscoped,
      ]);
      expect({ accept, status: reply.status, codes: codesOf(reply), data: reply.body.data }).toEqual({
        accept,
        status: 200,
        codes: ["insufficient_scope"],
        data: { whoami: { agent: { slug: "first-agent" } }, pet: null },
      });
    }
  });

  test("the log and the metrics count requests by error code, whatever their status", async () => {
    const count = async (outcome: string) =>
      (await scrape(gateway)).total("gateway_http_requests_total", { route: "/graphql", outcome });
    for (const [code, ...request] of [...RUN, ...KEPT]) {
      const before = await count(code);
      const reply = await ask("application/json", request);
      expect([code, (await count(code)) - before]).toEqual([code, 1]);
      expect(lineOf(reply.headers.get("x-request-id"))).toMatchObject({ status: reply.status, code });
    }
    const before = await count("ok");
    const reply = await ask("application/json", ["{ __typename }"]);
    expect((await count("ok")) - before).toBe(1);
    expect(lineOf(reply.headers.get("x-request-id"))).not.toHaveProperty("code");
    const missing = await gateway.rest("GET", "/v1/pets/404");
    expect(lineOf(missing.headers.get("x-request-id"))).toMatchObject({ status: 404, code: "not_found" });
  });

  function lineOf(requestId: string | null): unknown {
    const lines = gateway
      .log()
      .split("\n")
      .filter((line) => line.includes('"msg":"request"'));
    const line = lines.find((each) => each.includes(`"${requestId}"`));
    return line && JSON.parse(line);
  }
});
