import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";
import { addVary } from "../encoding";
import { prefersToJson } from "../media-types";

const ADDRESSES = {
  dashboard: "/dashboard",
  graphql: "/graphql",
  openapi: "/openapi.json",
  docs: "/docs",
  mcp: "/mcp",
  llms: "/llms.txt",
  health: "/healthz",
} as const;

/** The changelog, relative to the sources and to the built program. */
const CHANGELOGS = ["../../../CHANGELOG.md", "../../../../CHANGELOG.md"].map((file) => join(__dirname, file));

/** Excludes crawlers, because the service is only for people and programs with credentials. */
const ROBOTS = "User-agent: *\nDisallow: /\n";

/** Adds `/changelog`, `/robots.txt` and `/`, which redirects browsers to the dashboard and lists the addresses. */
export function addHome(app: FastifyInstance, { publicUrl = "" }: Pick<Config, "publicUrl">): void {
  const index = Object.fromEntries(
    Object.entries(ADDRESSES).map(([name, path]) => [name, `${publicUrl}${path}`]),
  );
  const changelog = readFileSync(CHANGELOGS.find(existsSync) as string);
  app.get("/changelog", async (_, reply) => reply.type("text/plain; charset=utf-8").send(changelog));
  app.get("/robots.txt", async (_, reply) => reply.type("text/plain; charset=utf-8").send(ROBOTS));
  app.get("/", async (request, reply) => {
    // Adds to `Vary` instead of replacing it, because the CORS plugin may already have added `Origin`.
    reply.header("vary", addVary(reply.getHeader("vary"), "Accept"));
    const isBrowser = prefersToJson("text/html", request.headers.accept);
    return isBrowser ? reply.redirect(`${publicUrl}${ADDRESSES.dashboard}`, 303) : index;
  });
}
