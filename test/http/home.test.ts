import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

const CHROME = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const PATHS = {
  dashboard: "/dashboard",
  graphql: "/graphql",
  openapi: "/openapi.json",
  docs: "/docs",
  mcp: "/mcp",
  llms: "/llms.txt",
  health: "/healthz",
};

const PUBLIC_URL = "https://gateway.example.com/api/";
const CORS_ORIGINS = "https://app.example.com";

describe.each<[string, string, string, Record<string, string>]>([
  ["without PUBLIC_URL", "", "Accept", {}],
  ["with PUBLIC_URL and CORS", PUBLIC_URL.slice(0, -1), "Origin, Accept", { PUBLIC_URL, CORS_ORIGINS }],
])("the address / %s", (_, prefix, vary, env) => {
  const gateway = suiteGateway(sqlite, { env, dashboard: join(__dirname, "../../dist/dashboard") });
  const get = async (accept: string | undefined, method = "GET") => {
    const response = await fetch(gateway.url, {
      method,
      redirect: "manual",
      headers: { ...(accept !== undefined && { accept }) },
    });
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  };

  test.each([CHROME, "text/html", "text/*", "application/json;q=0.1, text/html;q=0.2"])(
    "redirects clients that accept %s to the dashboard",
    async (accept) => {
      const { status, headers } = await get(accept);
      expect([status, headers.get("location")]).toEqual([303, `${prefix}/dashboard`]);
      expect(headers.get("vary")).toBe(vary);
    },
  );

  test.each([
    undefined,
    "*/*",
    "application/json",
    "application/xml",
    "text/html;q=0",
    "",
    ";;,",
    "text/html;q=x",
  ])("returns the service's addresses to clients that accept %s", async (accept) => {
    const { status, headers, text } = await get(accept);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    const addresses: Record<string, string> = JSON.parse(text);
    expect(addresses).toEqual(
      Object.fromEntries(Object.entries(PATHS).map(([name, path]) => [name, `${prefix}${path}`])),
    );
    expect(headers.get("vary")).toBe(vary);
  });

  test("has no body for HEAD, and allows no other method", async () => {
    expect(await get("*/*", "HEAD")).toMatchObject({ status: 200, text: "" });
    const post = await get("*/*", "POST");
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("returns existing addresses", async () => {
    for (const path of Object.values(PATHS).filter(
      (each) => !["/graphql", "/mcp", "/dashboard"].includes(each),
    )) {
      expect([path, (await gateway.rest("GET", path, { token: null })).status]).toEqual([path, 200]);
    }
    expect((await gateway.rest("GET", "/graphql", { token: null })).status).toBe(400);
    expect((await gateway.rest("POST", "/mcp", { token: null })).status).toBe(401);
  });

  test("has no page for search engines, and an icon for browsers", async () => {
    const robots = await gateway.rest("GET", "/robots.txt", { token: null });
    expect([robots.status, robots.text]).toEqual([200, "User-agent: *\nDisallow: /\n"]);
    const icon = await fetch(`${gateway.url}/favicon.ico`);
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  test("returns the changelog as text", async () => {
    const answer = await fetch(`${gateway.url}/changelog`);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await answer.text()).toBe(readFileSync(join(__dirname, "../../CHANGELOG.md"), "utf8"));
  });
});
