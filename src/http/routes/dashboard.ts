import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import serveFiles from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { GatewayError } from "../../errors";
import { sendError } from "../error-handler";

/** What stands in the built page for the nonce of an answer: on every style that scripts are to put into the page. */
const NONCE_PLACE = "__CSP_NONCE__";

/** Nothing comes from elsewhere, no script stands in the page, and no form is sent without one. */
const policyWith = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; ` +
  "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The build makes no folders in `assets/`: whatever else is asked for is no file, or none of these. */
const ASSET_NAME = /^[\w-][\w.-]*$/;

/**
 * `/dashboard`: one page for whatever is below it, so that a deep link can be opened, and the files that it
 * loads, which have a hash of their content in their names.
 * @param directory what the build made: `index.html`, and `assets/` with `.br` and `.gz` beside what they compress
 */
export async function addDashboard(app: FastifyInstance, directory: string): Promise<void> {
  const page = await readFile(join(directory, "index.html"), "utf8").catch(() => undefined);
  await app.register(async (scope) => {
    for (const path of ["/dashboard", "/dashboard/*"]) {
      scope.get(path, { config: { api: "dashboard" } }, async (_, reply) => {
        if (page === undefined)
          throw new GatewayError(
            "not_found",
            "The dashboard is not built: run `npm run build`, then restart.",
          );
        const nonce = randomBytes(16).toString("base64");
        return reply
          .headers({
            "content-security-policy": policyWith(nonce),
            "cross-origin-opener-policy": "same-origin",
            "cache-control": "no-cache",
          })
          .type("text/html; charset=utf-8")
          .send(page.replaceAll(NONCE_PLACE, nonce));
      });
    }
    if (page !== undefined) await addAssets(scope, join(directory, "assets"));
  });
}

async function addAssets(scope: FastifyInstance, root: string): Promise<void> {
  const path = "/dashboard/assets/*";
  await scope.register(serveFiles, {
    root,
    serve: false,
    index: false,
    preCompressed: true,
    acceptRanges: false,
  });
  scope.get<{ Params: { "*": string } }>(
    path,
    {
      config: { api: "dashboard" },
      // What the library refuses of a request, such as a condition that does not hold, is no fault of the server.
      errorHandler: (error, request, reply) =>
        sendError(
          (error.statusCode ?? 500) < 500 ? new GatewayError("invalid_request") : error,
          request,
          reply,
        ),
    },
    async (request, reply) => {
      const name = request.params["*"];
      if (!ASSET_NAME.test(name)) throw new GatewayError("not_found");
      reply.header("vary", "Accept-Encoding");
      return reply.sendFile(name, { maxAge: "365d", immutable: true });
    },
  );
}
