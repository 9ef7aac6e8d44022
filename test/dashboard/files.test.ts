import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { sqlite } from "../support/engines";
import { type Reply, startGateway, type TestGateway } from "../support/gateway";
import { expectRestError, sendRaw } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const PAGE = `<!doctype html>
<script type="module" src="/dashboard/assets/main-Ab12.js"></script>
<div id="root"></div>`;
const SCRIPT = `console.log("${"dashboard ".repeat(100)}");`;
const FOR_GETS = "GET, HEAD, OPTIONS";

/** Returns the directives of a policy by name. */
const policyOf = ({ headers }: Reply): Record<string, string> =>
  Object.fromEntries(
    (headers.get("content-security-policy") ?? "")
      .split("; ")
      .map((line) => line.split(/ (.*)/s).slice(0, 2)),
  );

describe("a built dashboard", () => {
  let gateway: TestGateway;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
    const built = join(directory, "built");
    await mkdir(join(built, "assets", "folder"), { recursive: true });
    await writeFile(join(directory, "secret.txt"), "secret");
    await writeFile(join(built, "secret.txt"), "secret");
    await writeFile(join(built, "assets", ".secret"), "secret");
    await writeFile(join(built, "assets", "folder", "secret.txt"), "secret");
    await writeFile(join(built, "index.html"), PAGE);
    await writeFile(join(built, "assets", "main-Ab12.js"), SCRIPT);
    await writeFile(join(built, "assets", "main-Ab12.js.br"), brotliCompressSync(SCRIPT));
    await writeFile(join(built, "assets", "style-Cd34.css"), "body {}");
    gateway = await startGateway(sqlite, { dashboard: built });
  });
  afterAll(async () => {
    await gateway.close();
    await rm(directory, { recursive: true });
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    gateway.rest("GET", path, { token: null, headers });

  test.each([
    "/dashboard",
    "/dashboard/",
    "/dashboard?from=mail",
    "/dashboard/api-keys",
    "/dashboard/settings/audit-log?action=api_key_revoked",
    "/dashboard/members/owner@example.com",
    "/dashboard/asset",
  ])("%s is the page for every caller, and is revalidated", async (path) => {
    for (const token of [null, "nonsense", gateway.key]) {
      const reply = await gateway.rest("GET", path, { token });
      expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(reply.text).toContain('<div id="root">');
      expect(reply.headers.get("cache-control")).toBe("no-cache");
    }
  });

  test("the policy allows scripts and styles from this server, and nothing else", async () => {
    expect(policyOf(await get("/dashboard"))).toEqual({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "connect-src": "'self'",
      "img-src": "'self' data:",
      "font-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
    });
  });

  test.each(["/dashboard", "/dashboard/assets/main-Ab12.js"])(
    "%s has the other security headers",
    async (path) => {
      const { headers } = await get(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe(path === "/dashboard" ? "same-origin" : null);
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    },
  );

  test("its files are cached for a year, because their names change with their content", async () => {
    const script = await get("/dashboard/assets/main-Ab12.js", { "accept-encoding": "identity" });
    expect([script.status, script.text]).toEqual([200, SCRIPT]);
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("content-type")).toMatch(/javascript; charset=utf-8$/);
    const style = await get("/dashboard/assets/style-Cd34.css");
    expect([style.text, style.headers.get("content-type")]).toEqual(["body {}", "text/css; charset=utf-8"]);
  });

  test("a file that the build compressed is sent compressed to clients that accept it", async () => {
    const path = "/dashboard/assets/main-Ab12.js";
    const small = await get(path, { "accept-encoding": "gzip, br" });
    expect([small.headers.get("content-encoding"), small.text]).toEqual(["br", SCRIPT]);
    expect(small.headers.get("content-type")).toMatch(/javascript/);
    const plain = await get(path, { "accept-encoding": "gzip" });
    expect([plain.headers.get("content-encoding"), plain.text]).toEqual([null, SCRIPT]);
    for (const { headers } of [small, plain]) expect(headers.get("vary")).toBe("Accept-Encoding");
  });

  test.each([
    "/dashboard/assets/gone-Ef56.js",
    "/dashboard/assets/",
    "/dashboard/assets/folder",
    "/dashboard/assets/folder/secret.txt",
    "/dashboard/assets/.secret",
    "/dashboard/assets/../secret.txt",
    "/dashboard/assets/..",
    "/dashboard/assets/../../secret.txt",
    "/dashboard/assets/..%2fsecret.txt",
    "/dashboard/assets/..%2f..%2fsecret.txt",
    "/dashboard/assets/%2e%2e/secret.txt",
    "/dashboard/assets/%2e%2e%2fsecret.txt",
    "/dashboard/assets/..%5csecret.txt",
    "/dashboard/assets/%252e%252e%252fsecret.txt",
    "/dashboard/assets//etc/passwd",
    "/dashboard/assets/%2fetc%2fpasswd",
    "/dashboard/assets/main-Ab12.js%00.css",
    "/dashboard/assets/%ZZ",
  ])("%s is not a file", async (path) => {
    const reply = await sendRaw(gateway.url, [`GET ${path} HTTP/1.1`]);
    expectRestError(reply, "not_found");
    expect(reply.headers.get("cache-control")).not.toBe("public, max-age=31536000, immutable");
  });

  test.each(["/dashboard/../secret.txt", "/dashboard/secret.txt", "/dashboard/..%2fsecret.txt"])(
    "%s shows nothing that is stored next to the page",
    async (path) => {
      const reply = await sendRaw(gateway.url, [`GET ${path} HTTP/1.1`]);
      expect(reply.text).not.toContain("secret");
    },
  );

  test("conditional requests and ranges get a status below 500", async () => {
    const path = "/dashboard/assets/main-Ab12.js";
    expectRestError(await get(path, { "if-match": '"x"' }), "invalid_request");
    expect((await get(path, { range: "bytes=99999-" })).status).toBe(200);
    // Sends raw bytes, because `fetch` adds a header that requests the whole file.
    const known = await sendRaw(gateway.url, [`GET ${path} HTTP/1.1`, "If-None-Match: *"]);
    expect([known.status, known.text]).toEqual([304, ""]);
    expect(gateway.log()).not.toContain("internal_error");
  });

  test.each(["/dashboard", "/dashboard/settings", "/dashboard/assets/main-Ab12.js"])(
    "%s is read-only: other methods are 405, and OPTIONS and HEAD work",
    async (path) => {
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"]) {
        const reply = await sendRaw(gateway.url, [`${method} ${path} HTTP/1.1`]);
        expectRestError(reply, "method_not_allowed");
        expect(reply.headers.get("allow")).toBe(FOR_GETS);
      }
      const options = await gateway.rest("OPTIONS", path, { token: null });
      expect([options.status, options.headers.get("allow")]).toEqual([204, FOR_GETS]);
      const head = await gateway.rest("HEAD", path, { token: null });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers.get("content-type")).toBe((await get(path)).headers.get("content-type"));
    },
  );
});

describe("a dashboard that has not been built", () => {
  const gateway = suiteGateway(sqlite, { dashboard: join(tmpdir(), "no-such-folder") });

  test.each(["/dashboard", "/dashboard/", "/dashboard/settings", "/dashboard/assets/main-Ab12.js"])(
    "%s says how to build it",
    async (path) => {
      const reply = await gateway.rest("GET", path, { token: null });
      expectRestError(reply, "not_found");
      expect(reply.body.message).toContain("npm run build");
    },
  );

  test("both APIs work anyway", async () => {
    expect((await gateway.rest("GET", "/agent/whoami")).status).toBe(200);
  });
});
