import { expectRestError, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

const READ = "GET, HEAD, OPTIONS";
const WRITE = "POST, OPTIONS";
const ROUTES: [string, string][] = [
  ["/v1/pets", "GET, POST, HEAD, OPTIONS"],
  ["/v1/pets/1", READ],
  ["/agent/whoami", READ],
  ["/messages", "GET, POST, HEAD, OPTIONS"],
  ["/messages/1/cancel", WRITE],
  ["/messages/1/approve", WRITE],
  ["/messages/1/discard", WRITE],
  ["/agent/timers", READ],
  ["/agent/contacts/batch", WRITE],
  ["/agent/configuration/tests", WRITE],
  ["/organization/api-keys", "GET, POST, HEAD, OPTIONS"],
  ["/organization/api-keys/1/rotate", WRITE],
  ["/agent/timers/1", "DELETE, OPTIONS"],
  ["/graphql", "GET, POST, OPTIONS"],
];
const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "TRACE",
  "PROPFIND",
  "SEARCH",
  "LOCK",
  "REPORT",
];
const REJECTED = ROUTES.flatMap(([path, allow]) =>
  METHODS.filter((method) => !allow.split(", ").includes(method)).map((method) => [method, path, allow]),
);

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each(REJECTED)("%s %s is 405 and names the allowed methods: %s", async (method, path, allow) => {
    const key = `Authorization: Bearer ${gateway.key}`;
    const calls: [string[], string?][] = [
      [[]],
      [[key]],
      [["Authorization: Bearer wrong"]],
      [[key, "Content-Type: application/json"], '{"name":"Rex","categoryId":1}'],
      [[key, "Content-Type: text/plain"], "{"],
      [["Content-Type: application/json"]],
    ];
    for (const [headers, body] of calls) {
      const reply = await sendRaw(gateway.url, [`${method} ${path} HTTP/1.1`, ...headers], body);
      expect({ status: reply.status, allow: reply.headers.get("allow") }).toEqual({ status: 405, allow });
      if (method !== "HEAD") expectRestError(reply, "method_not_allowed");
    }
  });

  test.each(ROUTES)("OPTIONS %s is 204 and names the allowed methods: %s", async (path, allow) => {
    for (const token of [null, "wrong", gateway.key]) {
      const reply = await gateway.rest("OPTIONS", path, { token });
      expect({ status: reply.status, allow: reply.headers.get("allow"), text: reply.text }).toEqual({
        status: 204,
        allow,
        text: "",
      });
    }
  });

  test("the response to a browser's preflight names the allowed methods, headers and origin", async () => {
    const headers = { origin: "https://studio.apollographql.com", "access-control-request-method": "POST" };
    const reply = await gateway.rest("OPTIONS", "/graphql", { token: null, headers });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("allow")).toBe("GET, POST, OPTIONS");
    expect(reply.headers.get("access-control-allow-origin")).toBe(headers.origin);
    expect(reply.headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
  });

  test.each([
    "/v1/pets",
    "/v1/pets?limit=1",
    "/v1/pets?limit=0",
    "/v1/pets/1",
    "/agent/whoami",
    "/nowhere",
    "/healthz",
  ])("HEAD %s gives the same response as GET, without the body", async (path) => {
    const head = await gateway.rest("HEAD", path);
    const get = await gateway.rest("GET", path);
    expect(head.text).toBe("");
    expect(head.status).toBe(get.status);
    for (const name of ["content-type", "content-length", "cache-control", "sunset", "www-authenticate"]) {
      expect({ [name]: head.headers.get(name) }).toEqual({ [name]: get.headers.get(name) });
    }
  });
});
