import { sqlite } from "../support/engines";
import type { TestGateway } from "../support/gateway";
import { suiteGateway } from "../support/suite";

const MINE = "https://app.example.com";
const PATHS = [
  "/v1/pets",
  "/v1/pets/1",
  "/agent/whoami",
  "/messages",
  "/graphql",
  "/openapi.json",
  "/dashboard",
  "/nowhere",
];

async function expectOptions(gateway: TestGateway): Promise<void> {
  const preflight: Record<string, string> = { origin: MINE, "access-control-request-method": "POST" };
  for (const headers of [{}, preflight]) {
    for (const path of ["/nowhere", "/v1/nowhere", "/graphql/x", "/*", "/%ZZ"]) {
      const reply = await gateway.rest("OPTIONS", path, { token: null, headers });
      expect([path, reply.status, reply.body?.code]).toEqual([path, 404, "not_found"]);
    }
    expect((await gateway.rest("OPTIONS", "/v1/pets", { token: null, headers })).status).toBe(204);
  }
}
const OPTIONS_TEST = "OPTIONS is 404 on an unknown path and 204 on a known one, even for a preflight";

describe("pages of other origins", () => {
  const gateway = suiteGateway(sqlite, { env: { CORS_ORIGINS: MINE, ENVIRONMENT: "production" } });
  const ask = (method: string, path: string, origin: string) =>
    gateway.rest(method, path, { headers: { origin, "access-control-request-method": "POST" } });

  test.each([
    "https://evil.example",
    "null",
    "http://app.example.com",
    "https://app.example.com.evil.example",
    "https://app.example.com:444",
    "https://evil-app.example.com",
    "https://sub.app.example.com",
    "HTTPS://APP.EXAMPLE.COM",
    "https://studio.apollographql.com",
    `${MINE}, https://evil.example`,
  ])("of %s may read nothing", async (origin) => {
    for (const path of PATHS) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { headers } = await ask(method, path, origin);
        expect(headers.get("access-control-allow-origin")).toBeNull();
        expect(headers.get("access-control-allow-credentials")).toBeNull();
      }
    }
  });

  test(OPTIONS_TEST, () => expectOptions(gateway));

  test("that may call may read rejections, but never with cookies", async () => {
    for (const path of PATHS) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { headers } = await ask(method, path, MINE);
        expect(headers.get("access-control-allow-origin")).toBe(MINE);
        expect(headers.get("access-control-allow-credentials")).toBeNull();
        // A cached response for one origin is not valid for another.
        expect(headers.get("vary")).toMatch(/\bOrigin\b/);
      }
    }
  });
});

describe.each(["production", "development"])("in %s without CORS_ORIGINS", (ENVIRONMENT) => {
  const gateway = suiteGateway(sqlite, { env: { ENVIRONMENT } });

  test(OPTIONS_TEST, () => expectOptions(gateway));

  if (ENVIRONMENT === "development") return;

  test("no page of another origin is allowed", async () => {
    for (const path of PATHS) {
      for (const method of ["GET", "OPTIONS"]) {
        const { headers } = await gateway.rest(method, path, { headers: { origin: MINE } });
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    }
  });
});

describe("in development", () => {
  const SANDBOX = "https://studio.apollographql.com";
  const gateway = suiteGateway(sqlite, { env: { CORS_ORIGINS: MINE } });
  const allowed = async (path: string, origin: string) => {
    const call = { token: null, headers: { origin, "access-control-request-method": "POST" } };
    const replies = [await gateway.rest("GET", path, call), await gateway.rest("OPTIONS", path, call)];
    return replies.map(({ headers }) => headers.get("access-control-allow-origin"));
  };

  test(OPTIONS_TEST, () => expectOptions(gateway));

  test("the hosted Sandbox may call /graphql and nothing else", async () => {
    expect(await allowed("/graphql", SANDBOX)).toEqual([SANDBOX, SANDBOX]);
    for (const path of [...PATHS, "/metrics"].filter((path) => path !== "/graphql")) {
      expect(await allowed(path, SANDBOX)).toEqual([null, null]);
    }
  });

  test("/metrics, which needs no token here, is not available to pages", async () => {
    expect(await allowed("/metrics", MINE)).toEqual([null, null]);
    expect(await allowed("/graphql", MINE)).toEqual([MINE, MINE]);
  });
});
