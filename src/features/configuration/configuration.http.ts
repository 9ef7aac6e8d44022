import type { FastifyInstance } from "fastify";
import { sendValidated, type Validated, validated } from "../../http/validated";
import { documentJsonSchema } from "./document/format";

/** Serves the JSON Schema for documents. Needs no key, because editors load it through `$schema`. */
export function addConfigurationSchema(app: FastifyInstance): void {
  let schema: Validated | undefined;
  app.get("/agent/configuration/schema", async (request, reply) => {
    schema ??= validated(JSON.stringify(documentJsonSchema()));
    return sendValidated(schema, request, reply.type("application/schema+json; charset=utf-8"));
  });
}
