import { openBrowser } from "../support/browser";
import { codesOf, expectGraphQLError } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  /** Accepts the media type whose errors have their own statuses. Each call also has a key. */
  const HEADERS = { accept: "application/graphql-response+json" };
  const get = (parameters: Record<string, string>) =>
    gateway.rest("GET", `/graphql?${new URLSearchParams(parameters)}`, { headers: HEADERS });

  test("a query may be sent by GET", async () => {
    expect((await get({ query: "{ __typename }" })).body).toEqual({ data: { __typename: "Query" } });
  });

  test("a number beyond 2^53 in the variables of a GET is not rounded, as with POST", async () => {
    const query = "query ($id: ID!) { pet(id: $id) { id } }";
    // If rounded, the first number would be the ID of a pet that may exist, and the response would be 200.
    for (const [id, codes] of [
      ["9007199254740993", ["invalid_request"]],
      ["1e400", ["invalid_json"]],
      ['"9007199254740993"', []],
    ] as const) {
      const found = await get({ query, variables: `{"id":${id}}` });
      const body = `{"query":${JSON.stringify(query)},"variables":{"id":${id}}}`;
      const posted = await gateway.rest("POST", "/graphql", { headers: HEADERS, body });
      expect([found.status, codesOf(found)]).toEqual([posted.status, codes]);
      expect(codesOf(posted)).toEqual(codes);
    }
  });

  test("a mutation by GET is 405 and changes nothing", async () => {
    const query = 'mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }';
    const reply = await get({ query });
    expectGraphQLError(reply, "method_not_allowed");
    expect(reply.headers.get("allow")).toBe("POST");
    const named = await get({
      query: `query a { __typename } ${query.replace("mutation", "mutation b")}`,
      operationName: "b",
    });
    expectGraphQLError(named, "method_not_allowed");
  });

  test.each<[string, Record<string, string>]>([
    ["no query", {}],
    ["an empty query", { query: "" }],
    ["variables that are not JSON", { query: "{ __typename }", variables: "{" }],
    ["variables that are a list", { query: "{ __typename }", variables: "[]" }],
    ["variables that are text", { query: "{ __typename }", variables: '"x"' }],
    ["extensions that are not JSON", { query: "{ __typename }", extensions: "x" }],
    ["a syntax error", { query: "{" }],
    ["an unknown field", { query: "{ nothing }" }],
  ])("GET with %s is 400", async (_, parameters) => {
    const reply = await get(parameters);
    expect({ status: reply.status, codes: codesOf(reply) }).toEqual({
      status: 400,
      codes: [expect.any(String)],
    });
  });

  test.each(["query=%ZZ", "query=%FF", "query=a&query=b", "%00", "&&&", "?", "query"])(
    "GET with ?%s is 400",
    async (search) => {
      const reply = await gateway.rest("GET", `/graphql?${search}`, { headers: HEADERS });
      expect({ status: reply.status, codes: codesOf(reply) }).toEqual({
        status: 400,
        codes: [expect.any(String)],
      });
    },
  );

  test.each<[string, Record<string, string>]>([
    ["nothing but its address", {}],
    ["a cookie", { cookie: "gateway_session=ags_x" }],
    ["a form's media type", { "content-type": "text/plain" }],
  ])("a query by GET with %s, which a page of another site could send, is rejected", async (_, headers) => {
    const reply = await gateway.rest("GET", "/graphql?query=%7B__typename%7D", { token: null, headers });
    expectGraphQLError(reply, "invalid_request");
  });

  test("a session cookie is not read on GET, not even next to a header that passes", async () => {
    const browser = openBrowser(gateway);
    await browser.signIn(gateway.ownerCredentials);
    const reply = await gateway.rest(
      "GET",
      `/graphql?${new URLSearchParams({ query: "{ members { email } }" })}`,
      {
        token: null,
        headers: { ...HEADERS, cookie: browser.cookie() ?? "", "apollo-require-preflight": "true" },
      },
    );
    expectGraphQLError(reply, "unauthenticated");
  });

  test("GET rejects a bad key, whatever the query", async () => {
    for (const search of ["", "?query=%7B__typename%7D"]) {
      expectGraphQLError(
        await gateway.rest("GET", `/graphql${search}`, { token: "wrong" }),
        "invalid_api_key",
      );
    }
  });
});
