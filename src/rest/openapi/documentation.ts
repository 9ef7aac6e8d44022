import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { sendValidated, validated } from "../../http/validated";
import type { JsonSchema } from "../json-value";

const VIEWER = join(
  dirname(require.resolve("openapi-explorer/package.json")),
  "dist/browser/openapi-explorer.min.js",
);

/** The script of the viewer, plain and compressed. */
interface Viewer {
  plain: Buffer;
  gzipped: Buffer;
}

let viewer: Promise<Viewer> | undefined;

/** Loads the viewer once per process, because a stream per request would let slow clients exhaust file descriptors. */
function loadViewer(): Promise<Viewer> {
  viewer ??= readFile(VIEWER).then(async (plain) => ({ plain, gzipped: await promisify(gzip)(plain) }));
  return viewer;
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Agent and Petstore gateway: REST</title>
<style>openapi-explorer { --font-regular: system-ui, sans-serif; }</style>
<script type="module" src="/docs/viewer.js"></script>
</head>
<body>
<openapi-explorer spec-url="/openapi.json" hide-server-selection="false" display-nulls="false">
<noscript>This page needs JavaScript. The contract itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
</openapi-explorer>
</body>
</html>
`;

/** Allows only local resources, so the page works offline; the viewer uses inline styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'unsafe-inline'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Adds `/openapi.json`, the contract of the REST API, and `/docs`, its interactive documentation. */
export function addDocumentation(app: FastifyInstance, openApi: JsonSchema): void {
  const contract = validated(JSON.stringify(openApi));
  app.get("/openapi.json", async (request, reply) =>
    sendValidated(contract, request, reply.type("application/json; charset=utf-8")),
  );
  const page = validated(PAGE);
  for (const path of ["/docs", "/docs/"]) {
    app.get(path, async (request, reply) => {
      reply
        .type("text/html; charset=utf-8")
        .headers({ "content-security-policy": POLICY, "cross-origin-opener-policy": "same-origin" });
      return sendValidated(page, request, reply);
    });
  }
  app.get("/docs/viewer.js", async (request, reply) => {
    const { plain, gzipped } = await loadViewer();
    const compress = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    if (compress) reply.header("content-encoding", "gzip");
    return reply
      .headers({ vary: "Accept-Encoding", "cache-control": "max-age=3600" })
      .type("text/javascript; charset=utf-8")
      .send(compress ? gzipped : plain);
  });
}
