import { readFile } from "node:fs/promises";
import { join } from "node:path";
import serveFiles from "@fastify/static";
import type { FastifyContextConfig, FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import { GatewayError } from "../../errors";
import { sendError } from "../error-handler";
import { sendValidated, validated } from "../validated";

/** A page with scripts and styles that the build made. */
export interface BuiltPage {
  /** Name of the page in messages. */
  name: string;
  /** The paths of the page; the first one is for its assets. */
  paths: readonly [string, ...string[]];
  /** The output of the build: `index.html`, and `assets/` with precompressed `.br` and `.gz` files. */
  directory: string;
  /** The Content-Security-Policy. */
  policy: string;
  config?: FastifyContextConfig;
}

/** A file name without a path, because the build creates no folders in `assets/`. */
const ASSET_NAME = /^[\w-][\w.-]*$/;

/** Adds a page and its assets, whose names contain a content hash. */
export async function addBuiltPage(
  app: FastifyInstance,
  { name, paths, directory, policy, config = {} }: BuiltPage,
): Promise<void> {
  const page = await readFile(join(directory, "index.html"), "utf8").then(validated, () => undefined);
  const plugin = async (scope: FastifyInstance) => {
    for (const path of paths) {
      scope.get(path, { config }, async (request, reply) => {
        if (page === undefined)
          throw new GatewayError("not_found", `${name} is not built: run \`npm run build\`, then restart.`);
        reply
          .headers({ "content-security-policy": policy, "cross-origin-opener-policy": "same-origin" })
          .type("text/html; charset=utf-8");
        return sendValidated(page, request, reply);
      });
    }
    if (page !== undefined) await addAssets(scope, `${paths[0]}/assets/*`, join(directory, "assets"), config);
  };
  await app.register(fp(plugin, { name: paths[0], encapsulate: true }));
}

async function addAssets(
  scope: FastifyInstance,
  path: string,
  root: string,
  config: FastifyContextConfig,
): Promise<void> {
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
      config,
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
