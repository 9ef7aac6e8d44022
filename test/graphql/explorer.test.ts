import { readFileSync } from "node:fs";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

const get = (gateway: ReturnType<typeof suiteGateway>, path: string, headers = {}) =>
  gateway.rest("GET", path, { token: null, headers });

describe("where introspection is on", () => {
  const gateway = suiteGateway(sqlite, { env: { ENVIRONMENT: "production", GRAPHQL_INTROSPECTION: "true" } });

  test("/graphiql is a page that loads and runs only code from this server", async () => {
    const { status, headers, text } = await get(gateway, "/graphiql");
    expect(status).toBe(200);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
    const paths = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");
    const assets = paths.filter((path) => !["/favicon.ico", "/dashboard"].includes(path));
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) {
      expect(path).toMatch(/^\/graphiql\/assets\/[\w.-]+$/);
      const asset = await get(gateway, path, { "accept-encoding": "br" });
      expect([asset.status, asset.headers.get("content-encoding")]).toEqual([200, "br"]);
      expect(asset.headers.get("cache-control")).toContain("immutable");
    }
    for (const path of ["/graphiql/assets/..%2f..%2fpackage.json", "/graphiql/assets/index.html"])
      expect((await get(gateway, path)).status).toBe(404);
  });

  test("/schema.graphql returns the schema, which caches revalidate", async () => {
    const { status, headers, text } = await get(gateway, "/schema.graphql");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toBe(readFileSync("schema.graphql", "utf8"));
    const again = await get(gateway, "/schema.graphql", { "if-none-match": headers.get("etag") });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});

describe("where introspection is off", () => {
  const gateway = suiteGateway(sqlite, { env: { ENVIRONMENT: "production" } });

  test.each(["/graphiql", "/schema.graphql"])("%s says so, and shows nothing of the schema", async (path) => {
    const { status, body } = await get(gateway, path);
    expect(status).toBe(404);
    expect(body).toEqual({
      code: "not_found",
      status: 404,
      message: "Introspection is disabled on this server (GRAPHQL_INTROSPECTION).",
    });
  });
});
