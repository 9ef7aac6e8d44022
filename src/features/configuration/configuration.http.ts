import type { FastifyInstance } from "fastify";
import { sendValidated, type Validated, validated } from "../../http/validated";
import { documentJsonSchema } from "./document/format";

/**
 * Adds the JSON Schema of configuration documents. It needs no key: editors load it through the `$schema` of a
 * document.
 */
export function addConfigurationSchema(app: FastifyInstance): void {
  let schema: Validated | undefined;
  app.get("/agent/configuration/schema", async (request, reply) => {
    schema ??= validated(JSON.stringify(documentJsonSchema()));
    return sendValidated(schema, request, reply.type("application/schema+json; charset=utf-8"));
  });
}
