import type { FastifyInstance } from "fastify";
import { GatewayError } from "../../errors";
import { encodingFor } from "../../http/encoding";
import { sendValidated, type Validated, validated } from "../../http/validated";
import type { JsonSchema } from "../json-value";
import { type EncodedFile, loadViewer, type Viewer } from "./viewer";

/** Allows only local resources, because the page must work offline, and inline styles, which the viewer uses. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Adds `/openapi.json` and `/docs`; `openApi` is called on the first request, because few processes need it. */
export function addDocumentation(app: FastifyInstance, openApi: () => JsonSchema): void {
  let contract: Validated | undefined;
  app.get("/openapi.json", async (request, reply) => {
    contract ??= validated(JSON.stringify(openApi()));
    return sendValidated(contract, request, reply.type("application/json; charset=utf-8"));
  });
  let page: Validated | undefined;
  for (const path of ["/docs", "/docs/"]) {
    app.get(path, async (request, reply) => {
      page ??= validated((await builtViewer()).page);
      reply
        .type("text/html; charset=utf-8")
        .headers({ "content-security-policy": POLICY, "cross-origin-opener-policy": "same-origin" });
      return sendValidated(page, request, reply);
    });
  }
  addFile(app, "/docs/viewer.js", "text/javascript; charset=utf-8", ({ script }) => script);
  addFile(app, "/docs/viewer.css", "text/css; charset=utf-8", ({ style }) => style);
}

/** @throws GatewayError `not_found` if the viewer is not built */
async function builtViewer(): Promise<Viewer> {
  const viewer = await loadViewer();
  if (viewer === undefined)
    throw new GatewayError("not_found", "The documentation has not been built. Run `npm run build`.");
  return viewer;
}

function addFile(
  app: FastifyInstance,
  path: string,
  type: string,
  fileOf: (viewer: Viewer) => EncodedFile,
): void {
  app.get(path, async (request, reply) => {
    const file = fileOf(await builtViewer());
    const encoding = encodingFor(request.headers["accept-encoding"]);
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply
      .headers({ vary: "Accept-Encoding", "cache-control": "max-age=3600" })
      .type(type)
      .send(file[encoding]);
  });
}
