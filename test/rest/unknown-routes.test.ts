import { expectRestError, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each([
    "/nowhere",
    "/v1",
    "/v1/",
    "/V1/pets",
    "/v1/Pets",
    "/v2/pets",
    "/pets",
    "/v1//pets",
    "//v1/pets",
    "/v1/pets%2F1",
    "/v1/pets/1/2",
    "/v1/../v1/petss",
    "/messages/1/2",
    "/agent",
    "/graphql/x",
    "/%ZZ",
    "/%00",
    "/__proto__",
    `/${"x".repeat(8000)}`,
  ])("the path %s is 404", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const key = `Authorization: Bearer ${gateway.key}`;
      expectRestError(await sendRaw(gateway.url, [`${method} ${path} HTTP/1.1`, key]), "not_found");
      const sent = await sendRaw(
        gateway.url,
        [`${method} ${path} HTTP/1.1`, "Content-Type: text/plain"],
        "{",
      );
      expectRestError(sent, "not_found");
    }
  });

  test("an unknown route is 404 for every caller and does not repeat the path", async () => {
    for (const token of [null, "wrong", gateway.key, gateway.owner]) {
      const reply = await gateway.rest("GET", "/secret-path", { token });
      expectRestError(reply, "not_found");
      expect(reply.text).not.toContain("secret-path");
    }
  });

  test("the method QUERY, which requires a content type, is 404 on an unknown path and 405 on a known one", async () => {
    expectRestError(await gateway.rest("QUERY", "/nowhere"), "not_found");
    expectRestError(await gateway.rest("QUERY", "/nowhere", { body: {} }), "not_found");
    expectRestError(await gateway.rest("QUERY", "/v1/pets"), "method_not_allowed");
  });

  test.each(["FOO", "get", "G\u0000T"])("the invented method %j is 400", async (method) => {
    expectRestError(await sendRaw(gateway.url, [`${method} /v1/pets HTTP/1.1`]), "invalid_request");
  });

  test.each([
    ["a header without a colon", ["GET /v1/pets HTTP/1.1", "nonsense"]],
    ["a header name with a space", ["GET /v1/pets HTTP/1.1", "a b: c"]],
    ["an unknown version", ["GET /v1/pets HTTP/9.9"]],
    ["no path", ["GET HTTP/1.1"]],
    ["both lengths of a body", ["POST /v1/pets HTTP/1.1", "Content-Length: 1", "Transfer-Encoding: chunked"]],
  ])("a request with %s is 400", async (_, lines) => {
    expectRestError(await sendRaw(gateway.url, lines), "invalid_request");
  });

  test("headers that are too large are 431", async () => {
    const reply = await sendRaw(gateway.url, ["GET /v1/pets HTTP/1.1", `X-Large: ${"x".repeat(20_000)}`]);
    expectRestError(reply, "header_fields_too_large");
  });

  test("a request without Host, as HTTP/1.0 allows, is answered", async () => {
    const reply = await sendRaw(gateway.url, [
      "GET /v1/pets HTTP/1.0",
      "Host:",
      `Authorization: Bearer ${gateway.key}`,
    ]);
    expect(reply.status).toBe(200);
  });
});
