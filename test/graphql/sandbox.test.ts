import { EXAMPLE } from "../../src/graphql/example";
import { sqlite } from "../support/engines";
import type { TestGateway } from "../support/gateway";
import { suiteGateway } from "../support/suite";

const SANDBOX = "https://studio.apollographql.com";
const BROWSER = { accept: "text/html" };

const preflight = (gateway: TestGateway, origin: string) =>
  gateway.rest("OPTIONS", "/graphql", {
    token: null,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });

describe("in development", () => {
  const gateway = suiteGateway(sqlite, { env: { CORS_ORIGINS: "https://app.example.com" } });

  test("a browser that opens /graphql gets Sandbox with an example and a place for the key", async () => {
    const { status, headers, text } = await gateway.rest("GET", "/graphql", {
      token: null,
      headers: BROWSER,
    });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/html");
    expect(text).toContain("WhoAmIAndWhatIsThere");
    expect(text).toMatch(/Bearer .{1,12}API_KEY/);
  });

  test.each(["WhoAmIAndWhatIsThere", "AddPet", "QueueMessage"])(
    "its example %s runs unchanged",
    async (operationName) => {
      const { status, body } = await gateway.graphql("", {}, { body: { query: EXAMPLE, operationName } });
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    },
  );

  test.each([SANDBOX, "https://app.example.com"])("pages of %s may call with a key", async (origin) => {
    const { status, headers } = await preflight(gateway, origin);
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-headers")).toContain("authorization");
    const reply = await gateway.graphql("{ whoami { agent { slug } } }", {}, { headers: { origin } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("access-control-allow-origin")).toBe(origin);
  });

  test("pages of other origins are not allowed", async () => {
    const { headers } = await preflight(gateway, "https://evil.example.com");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("a rejection can be read by pages that may call", async () => {
    const reply = await gateway.graphql(
      "{ pets { nodes { id } } }",
      {},
      { token: "nonsense", headers: { origin: SANDBOX } },
    );
    expect(reply.status).toBe(401);
    expect(reply.headers.get("access-control-allow-origin")).toBe(SANDBOX);
  });
});

describe("in production", () => {
  const gateway = suiteGateway(sqlite, { env: { ENVIRONMENT: "production" } });

  test("there is no Sandbox and no introspection, and pages of the hosted Sandbox are not allowed", async () => {
    const page = await gateway.rest("GET", "/graphql", { token: null, headers: BROWSER });
    expect(page.status).toBe(400);
    const introspection = await gateway.graphql("{ __schema { queryType { name } } }");
    expect(introspection.body.errors[0].extensions.code).toBe("graphql_validation_failed");
    expect((await preflight(gateway, SANDBOX)).headers.get("access-control-allow-origin")).toBeNull();
  });

  test("its keys are marked as live", () => {
    expect(gateway.key).toMatch(/^agk_live_/);
  });
});
