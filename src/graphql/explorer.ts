import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { GraphQLSchema } from "graphql";
import type { Config } from "../config";
import { GatewayError } from "../errors";
import { addBuiltPage } from "../http/routes/built-page";
import { sendValidated, type Validated, validated } from "../http/validated";
import { printSorted } from "./schema";

/** Allows only same-origin resources, except for the editor's inline styles and embedded fonts. */
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "connect-src 'self'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

/** Output folder of the GraphiQL build, relative to the built program and to the sources. */
const BUILT =
  ["../../graphiql", "../../dist/graphiql"].map((path) => join(__dirname, path)).find(existsSync) ?? "";

/** Adds `/graphiql`, which works offline, and `/schema.graphql`; both are `not_found` if introspection is off. */
export async function addExplorer(
  app: FastifyInstance,
  schema: GraphQLSchema,
  { introspection }: Pick<Config, "introspection">,
): Promise<void> {
  if (!introspection) {
    for (const path of ["/graphiql", "/schema.graphql"]) {
      app.get(path, async () => {
        throw new GatewayError(
          "not_found",
          "Introspection is disabled on this server (GRAPHQL_INTROSPECTION).",
        );
      });
    }
    return;
  }
  await addBuiltPage(app, {
    name: "GraphiQL",
    paths: ["/graphiql", "/graphiql/"],
    directory: BUILT,
    policy: POLICY,
  });
  let text: Validated | undefined;
  app.get("/schema.graphql", async (request, reply) => {
    text ??= validated(printSorted(schema));
    return sendValidated(text, request, reply.type("text/plain; charset=utf-8"));
  });
}
