import { join } from "node:path";
import { ROUTES } from "../../src/features";
import { defaultHeaders } from "../../src/http/plugins/security-headers";
import { sqlite } from "../support/engines";
import { type Reply, startGateway } from "../support/gateway";
import { sendRaw } from "../support/rejections";
import { slowTest } from "../support/slow-test";
import { suiteGateway } from "../support/suite";

const PAGES = ["/docs", "/dashboard", "/dashboard/api-keys"];
const OPEN = [
  ...PAGES,
  "/docs/viewer.js",
  "/openapi.json",
  "/changelog",
  "/robots.txt",
  "/favicon.ico",
  "/healthz",
  "/readyz",
  "/metrics",
  "/nowhere",
  "/%ZZ",
];
const API_ROUTES = [...new Set(ROUTES.map(({ path }) => path.replace(":petId", "1"))), "/graphql"];
/** Returns the directives of a policy by name. */
const policyOf = ({ headers }: Reply): Record<string, string> =>
  Object.fromEntries(
    (headers.get("content-security-policy") ?? "")
      .split("; ")
      .map((line) => line.split(/ (.*)/s).slice(0, 2)),
  );

function expectProtected(reply: Reply): void {
  const { headers } = reply;
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(policyOf(reply)["frame-ancestors"]).toBe("'none'");
  expect(headers.get("x-powered-by")).toBeNull();
  expect(headers.get("server")).toBeNull();
  expect(headers.get("x-request-id")).toMatch(/\S/);
}

describe("every response", () => {
  const gateway = suiteGateway(sqlite, {
    dashboard: join(__dirname, "../../dist/dashboard"),
    env: { BODY_LIMIT_BYTES: "10000" },
  });
  const ask = (method: string, path: string, more: string[] = []) =>
    sendRaw(gateway.url, [`${method} ${path} HTTP/1.1`, ...more]);

  const key = () => `Authorization: Bearer ${gateway.key}`;
  const expectAll = async (path: string, methods: readonly string[]) => {
    const isApi = API_ROUTES.includes(path);
    const heads = [
      [],
      ["Authorization: Bearer nonsense"],
      [key()],
      [`Authorization: Bearer ${gateway.owner}`],
    ];
    if (isApi) heads.push([key(), "Content-Type: application/json"], ["Expect: x"]);
    for (const method of methods) {
      for (const head of heads) {
        const reply = await ask(method, path, head);
        expectProtected(reply);
        // Only a service with HTTPS can promise HTTPS.
        expect(reply.headers.get("strict-transport-security")).toBeNull();
        if (isApi) expect(reply.headers.get("cache-control")).toBe("no-store");
      }
    }
  };

  test.each([...OPEN, ...API_ROUTES])(
    "of %s is protected, whatever the method and caller, and API responses are not cached",
    (path) => expectAll(path, ["GET", "POST", "TRACE"]),
  );

  slowTest.each([...OPEN, ...API_ROUTES])("of %s to other methods is also protected", (path) =>
    expectAll(path, ["HEAD", "OPTIONS", "DELETE"]),
  );

  const expectUncached = async (path: string, bodies: readonly unknown[]) => {
    for (const body of bodies)
      expect((await gateway.rest("POST", path, { body })).headers.get("cache-control")).toBe("no-store");
  };

  test.each(API_ROUTES)("of %s to a malformed body is not cached", (path) => expectUncached(path, ["{", {}]));

  slowTest.each(API_ROUTES)("of %s to an oversized body is not cached", (path) =>
    expectUncached(path, ["x".repeat(20_000)]),
  );

  test("to bytes that are not HTTP is also protected", async () => {
    const { status, headers } = await sendRaw(gateway.url, ["nonsense"]);
    expect(status).toBe(400);
    const expected = defaultHeaders({ tls: undefined, publicUrl: undefined });
    expect(Object.fromEntries(headers)).toMatchObject(expected);
  });

  test.each([
    ...OPEN.filter((path) => !PAGES.includes(path)),
    ...API_ROUTES.filter((path) => path !== "/graphql"),
  ])("of %s may load nothing when a browser shows it", async (path) => {
    for (const token of [null, gateway.key]) {
      if (path === "/%ZZ") continue;
      const reply = await gateway.rest("GET", path, { token });
      expect(policyOf(reply)["default-src"]).toBe("'none'");
    }
  });

  test.each(PAGES)("of the page %s allows only scripts from this server", async (path) => {
    const reply = await gateway.rest("GET", path, { token: null });
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = policyOf(reply);
    expect([policy["default-src"], policy["script-src"], policy["form-action"], policy["base-uri"]]).toEqual([
      "'none'",
      "'self'",
      "'none'",
      "'none'",
    ]);
    expect(reply.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(reply.headers.get("cache-control")).toBe("no-cache");
  });

  test("of Sandbox allows the sources in Apollo's own policy, but no enclosing frame", async () => {
    const reply = await gateway.rest("GET", "/graphql", { token: null, headers: { accept: "text/html" } });
    expect(reply.headers.get("content-type")).toContain("text/html");
    expectProtected(reply);
    const policy = policyOf(reply);
    expect(policy["default-src"] ?? policy["script-src"]).toBeUndefined();
    expect(policy["object-src"]).toBe("'none'");
    expect(reply.text).toMatch(/http-equiv="Content-Security-Policy" content="script-src 'self' 'nonce-/);
  });
});

test.each([
  [{ PUBLIC_URL: "https://gateway.example.com" }, true],
  [{ PUBLIC_URL: "http://gateway.example.com" }, false],
])("with %j, Strict-Transport-Security is sent: %s", async (env, sent) => {
  const gateway = await startGateway(sqlite, { env });
  for (const path of ["/dashboard", "/docs", "/graphql", "/v1/pets", "/nowhere"]) {
    const { headers } = await gateway.rest("GET", path);
    expect(headers.get("strict-transport-security")).toEqual(sent ? "max-age=15552000" : null);
  }
  await gateway.close();
});
