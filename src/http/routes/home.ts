import type { FastifyInstance } from "fastify";
import Negotiator from "negotiator";
import type { Config } from "../../config";

/** The addresses of the service that people and programs start from. */
const ADDRESSES = {
  dashboard: "/dashboard",
  graphql: "/graphql",
  openapi: "/openapi.json",
  docs: "/docs",
  mcp: "/mcp",
  llms: "/llms.txt",
  health: "/healthz",
} as const;

/** Adds `/`, which leads browsers to the dashboard and gives programs the addresses of the service. */
export function addHome(app: FastifyInstance, { publicUrl = "" }: Pick<Config, "publicUrl">): void {
  const index = Object.fromEntries(
    Object.entries(ADDRESSES).map(([name, path]) => [name, `${publicUrl}${path}`]),
  );
  app.get("/", async (request, reply) => {
    // CORS may have added Origin.
    reply.header("vary", [reply.getHeader("vary"), "Accept"].filter(Boolean).join(", "));
    const wanted = new Negotiator(request.raw).mediaType(["application/json", "text/html"]);
    return wanted === "text/html" ? reply.redirect(`${publicUrl}${ADDRESSES.dashboard}`, 303) : index;
  });
}
