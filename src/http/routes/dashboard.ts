import { readFile } from "node:fs/promises";
import { join } from "node:path";
import serveFiles from "@fastify/static";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import { GatewayError } from "../../errors";
import { sendError } from "../error-handler";
import { sendValidated, validated } from "../validated";

/** The Content-Security-Policy: same-origin resources only, nothing inline, no form submission. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A file name without a path, because the build creates no folders in `assets/`. */
const ASSET_NAME = /^[\w-][\w.-]*$/;

/**
 * Adds `/dashboard`: the same page for every path below it, so that deep links work, and its assets, whose names
 * contain a content hash.
 * @param directory the build output: `index.html`, and `assets/` with precompressed `.br` and `.gz` files
 */
export async function addDashboard(app: FastifyInstance, directory: string): Promise<void> {
  const page = await readFile(join(directory, "index.html"), "utf8").then(validated, () => undefined);
  const dashboard = async (scope: FastifyInstance) => {
    for (const path of ["/dashboard", "/dashboard/*"]) {
      scope.get(path, { config: { api: "dashboard" } }, async (request, reply) => {
        if (page === undefined)
          throw new GatewayError(
            "not_found",
            "The dashboard is not built: run `npm run build`, then restart.",
          );
        reply
          .headers({ "content-security-policy": POLICY, "cross-origin-opener-policy": "same-origin" })
          .type("text/html; charset=utf-8");
        return sendValidated(page, request, reply);
      });
    }
    if (page !== undefined) await addAssets(scope, join(directory, "assets"));
  };
  await app.register(fp(dashboard, { name: "dashboard", encapsulate: true }));
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
      // A request that the library rejects, such as a failed precondition, is not a server error.
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
