import { STATUS_CODES } from "node:http";
import { ERRORS as ERRORS_BY_CODE, type ErrorCode } from "../../src/errors";
import { sqlite } from "../support/engines";
import { mint } from "../support/gateway";
import { suiteGateway } from "../support/suite";

type Ask = [method: string, path: string, call?: { token?: string | null; headers?: object; body?: unknown }];

const PROBLEM = "application/problem+json";

/** Requests that different parts of the server reject, each with its error code. */
const ERRORS: Record<string, [code: ErrorCode, ...Ask]> = {
  "an unknown route": ["not_found", "GET", "/nothing"],
  "a path that cannot be decoded": ["not_found", "GET", "/%ZZ"],
  "another method": ["method_not_allowed", "DELETE", "/v1/pets"],
  "a method that no route supports": ["method_not_allowed", "PROPFIND", "/v1/pets"],
  "no credential": ["unauthenticated", "GET", "/v1/pets", { token: null }],
  "an unknown key": ["invalid_api_key", "GET", "/v1/pets", { token: "agk_dev_unknown" }],
  "invalid parameters": ["invalid_request", "GET", "/v1/pets?limit=0&status=lost"],
  "a missing resource": ["not_found", "GET", "/v1/pets/404"],
  "a body that is not JSON": ["invalid_json", "POST", "/v1/pets", { body: "{" }],
  "a body of another type": [
    "invalid_content_type",
    "POST",
    "/v1/pets",
    { headers: { "content-type": "text/plain" }, body: "{}" },
  ],
  "a body for a route without one": ["invalid_request", "DELETE", "/agent/contacts/x", { body: { a: 1 } }],
  "a body that is too large": [
    "payload_too_large",
    "POST",
    "/messages",
    { body: { message: "x".repeat(2_000_000) } },
  ],
  "an unsigned message": ["invalid_signature", "POST", "/inbound/none", { token: null, body: {} }],
  "no credential for MCP": ["unauthenticated", "POST", "/mcp", { token: null, body: {} }],
  "a page from an unknown position": ["invalid_cursor", "GET", "/agent/events?cursor=77"],
};

describe("an error as problem details", () => {
  const gateway = suiteGateway(sqlite);
  const ask = ([method, path, { headers, ...call } = {}]: Ask, accept: string) =>
    gateway.rest(method, path, { ...call, headers: { ...headers, accept } });
  const expectSameError = async ([code, ...request]: [ErrorCode, ...Ask], accepted = "*/*") => {
    const [plain, problem] = [await ask(request, accepted), await ask(request, `${accepted}, ${PROBLEM}`)];
    expect(plain.body).toMatchObject({ code, status: ERRORS_BY_CODE[code].status });
    expect(plain.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(problem.headers.get("content-type")).toMatch(/^application\/problem\+json\b/);
    const { status, message } = plain.body;
    expect(problem.status).toBe(status);
    expect(problem.body).toEqual({
      ...plain.body,
      type: "about:blank",
      title: STATUS_CODES[status],
      detail: message,
    });
    for (const { headers } of [plain, problem]) expect(headers.get("vary")).toMatch(/\bAccept\b/);
  };

  test.each(Object.entries(ERRORS))("is the same for %s", (_, request) => expectSameError(request));

  test("is the same for a rate limit", async () => {
    const { secret: token } = await mint(gateway, { rateLimitPerMinute: 1 });
    await gateway.rest("GET", "/agent/whoami", { token });
    await expectSameError(["rate_limited", "GET", "/agent/whoami", { token }]);
  });

  test("is the same for a stream from an unknown position", () =>
    expectSameError(["invalid_cursor", "GET", "/agent/events?cursor=77"], "text/event-stream"));

  test.each([
    [PROBLEM, true],
    ["Application/Problem+JSON", true],
    [`${PROBLEM}, application/json`, true],
    [`application/json;q=0.9, ${PROBLEM}`, true],
    [`*/*, ${PROBLEM}`, true],
    [`application/json, ${PROBLEM}`, false],
    [`application/json, ${PROBLEM};q=0.9`, false],
    [`${PROBLEM};q=0`, false],
    ["application/*", false],
    ["text/html", false],
    [";;,", false],
  ])("is sent to a client that accepts %s: %p", async (accept, isProblem) => {
    const { body } = await ask(["GET", "/nothing"], accept);
    expect(Object.hasOwn(body, "detail")).toBe(isProblem);
  });

  test("does not change a success", async () => {
    const { status, headers } = await ask(["GET", "/v1/pets"], PROBLEM);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
  });
});
