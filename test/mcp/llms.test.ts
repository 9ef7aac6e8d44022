import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

const PUBLIC_URL = "https://gateway.example.com/api";

describe.each([
  ["without PUBLIC_URL", "", {}],
  ["with PUBLIC_URL", PUBLIC_URL, { PUBLIC_URL }],
])("/llms.txt %s", (_, base, env) => {
  const gateway = suiteGateway(sqlite, { env });
  const get = (headers = {}) => gateway.rest("GET", "/llms.txt", { token: null, headers });

  test("has the form of llms.txt: a title, a summary and lists of links", async () => {
    const { status, headers, text } = await get();
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toMatch(/^# [^\n]+\n\n> /);
    for (const section of text.split(/^## .*\n/m).slice(1))
      expect(section).toMatch(/^\n(- \[[^\]]+\]\([^)]+\): .+\n)+\n?$/);
  });

  test("links to the documents and APIs of this server, which all exist", async () => {
    const { text } = await get();
    const paths = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address = ""]) => {
      expect(address.startsWith(`${base}/`)).toBe(true);
      return address.slice(base.length);
    });
    expect(paths).toEqual(
      expect.arrayContaining(["/mcp", "/openapi.json", "/graphql", "/agent/configuration/schema"]),
    );
    for (const path of paths) {
      const { status } = await gateway.rest("GET", path, { token: null });
      expect([path, status]).toEqual([path, { "/mcp": 405, "/graphql": 400 }[path] ?? 200]);
    }
  });

  test("is cached, but must be revalidated", async () => {
    const { headers } = await get();
    expect(headers.get("cache-control")).toBe("no-cache");
    const again = await get({ "if-none-match": headers.get("etag") });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});
