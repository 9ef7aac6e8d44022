import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";

let directory: string;
let gateway: TestGateway;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
  await writeFile(join(directory, "index.html"), '<!doctype html><div id="root"></div>');
  gateway = await startGateway(sqlite, { dashboard: directory, strict: true });
});
afterAll(async () => {
  await gateway.close();
  await rm(directory, { recursive: true });
});

describe.each([
  "/openapi.json",
  "/agent/configuration/schema",
  "/docs",
  "/docs/",
  "/dashboard",
  "/dashboard/api-keys",
])("%s", (path) => {
  const ask = (headers: Record<string, string> = {}, method = "GET") =>
    gateway.rest(method, path, { token: null, headers });

  test("has a validator that stays the same, and is revalidated", async () => {
    const [first, second] = [await ask(), await ask()];
    expect(first.headers.get("etag")).toMatch(/^"[\w-]{43}(-gzip|-br)?"$/);
    expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
    expect(first.headers.get("cache-control")).toBe("no-cache");
    expect(second.text).toBe(first.text);
  });

  test("is 304 for a client that has it, with the policy that belongs to the client's copy", async () => {
    const { headers } = await ask();
    const etag = headers.get("etag") ?? "";
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, ` ${etag} ,"x"`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await ask({ "if-none-match": given }, method);
        expect([given, reply.status, reply.text]).toEqual([given, 304, ""]);
        expect([method, reply.headers.get("content-length")]).toEqual([method, null]);
        for (const name of ["etag", "cache-control", "content-security-policy", "x-content-type-options"])
          expect([name, reply.headers.get(name)]).toEqual([name, headers.get(name)]);
      }
    }
  });

  test("is sent to a client that has something else, whatever its condition looks like", async () => {
    const { text, headers } = await ask();
    const etag = headers.get("etag") ?? "";
    for (const given of [
      '"other"',
      etag.slice(1, -1),
      etag.slice(0, -1),
      `w/${etag}`,
      "",
      ",",
      "W/",
      `"${"x".repeat(8_000)}"`,
    ])
      expect(await ask({ "if-none-match": given })).toMatchObject({ status: 200, text });
    const modified = await ask({ "if-modified-since": new Date().toUTCString() });
    expect(modified).toMatchObject({ status: 200, text });
  });
});

test("a key's data has no validator, because a copy would outlive the key", async () => {
  const { headers } = await gateway.rest("GET", "/agent/whoami", { headers: { "if-none-match": "*" } });
  expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
});

test("/docs/ is the same page as /docs", async () => {
  const pages = [await gateway.rest("GET", "/docs"), await gateway.rest("GET", "/docs/")];
  expect(pages.map(({ status }) => status)).toEqual([200, 200]);
  expect(pages[1]?.text).toBe(pages[0]?.text);
});
