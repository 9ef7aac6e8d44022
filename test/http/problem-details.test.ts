import { STATUS_CODES } from "node:http";
import { sqlite } from "../support/engines";
import { mint } from "../support/gateway";
import { suiteGateway } from "../support/suite";

type Ask = [method: string, path: string, call?: { token?: string | null; headers?: object; body?: unknown }];

const PROBLEM = "application/problem+json";

/** A request for each kind of error, by the place that rejects it. */
const ERRORS: Record<string, Ask> = {
  "an unknown route": ["GET", "/nothing"],
  "a path that cannot be decoded": ["GET", "/%ZZ"],
  "another method": ["DELETE", "/v1/pets"],
  "a method that no route has": ["PROPFIND", "/v1/pets"],
  "no credential": ["GET", "/v1/pets", { token: null }],
  "an unknown key": ["GET", "/v1/pets", { token: "agk_dev_unknown" }],
  "invalid parameters": ["GET", "/v1/pets?limit=0&status=lost"],
  "a missing resource": ["GET", "/v1/pets/404"],
  "a body that is no JSON": ["POST", "/v1/pets", { body: "{" }],
  "a body of another type": ["POST", "/v1/pets", { headers: { "content-type": "text/plain" }, body: "{}" }],
  "a body for a route without one": ["DELETE", "/agent/contacts/x", { body: { a: 1 } }],
  "a body that is too large": ["POST", "/messages", { body: { message: "x".repeat(2_000_000) } }],
  "an unsigned message": ["POST", "/inbound/none/messages", { token: null, body: {} }],
  "no credential for MCP": ["POST", "/mcp", { token: null, body: {} }],
  "a stream from an unknown position": ["GET", "/agent/events?types=none"],
};

describe("an error as problem details", () => {
  const gateway = suiteGateway(sqlite);
  const ask = ([method, path, { headers, ...call } = {}]: Ask, accept: string) =>
    gateway.rest(method, path, { ...call, headers: { ...headers, accept } });
  const expectSameError = async (request: Ask, accept = PROBLEM) => {
    const [plain, problem] = [await ask(request, "*/*"), await ask(request, accept)];
    expect(plain.status).toBeGreaterThanOrEqual(400);
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
    await expectSameError(["GET", "/agent/whoami", { token }]);
  });

  test("is the same for a stream", () =>
    expectSameError(["GET", "/agent/events?types=none"], `text/event-stream, ${PROBLEM}`));

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
