import type { FastifyInstance } from "fastify";
import type { Config } from "../config";
import { sendValidated, type Validated, validated } from "../http/validated";
import { loadViewer } from "../rest/openapi/viewer";

/** Returns the text of `/llms.txt` (llmstxt.org), with links below `base`. */
const textOf = (base: string, { hasViewer }: { hasViewer: boolean }) => `# Agent and Petstore gateway

> An agent talks with people over lines: webhooks, e-mail, or this server. Systems submit situations to it, and its
> configuration determines what it sends. There is also a petstore. Each request needs an API key, which belongs to an agent or an
> organization: \`Authorization: Bearer <API_KEY>\`.

The three APIs share the same rules and errors. An error is \`{"code","message","status"}\`, and the message says what to correct.
IDs of pets and categories are int64. Retry a request that may have failed with the same idempotency key. Call \`whoami\` first.

## APIs

- [MCP](${base}/mcp): tools for models, over Streamable HTTP, without sessions
- [OpenAPI](${base}/openapi.json): the contract of the REST API
- [GraphQL](${base}/graphql): the complete API, including the parts for members; its schema can be introspected in development

## Documents

- [Configuration schema](${base}/agent/configuration/schema): the JSON Schema of agents' configurations
${hasViewer ? `- [REST documentation](${base}/docs): the same contract as a web page\n` : ""}`;

/** Adds `/llms.txt`, which points models to the server's documents and, like them, needs no key. */
export function addLlmsText(app: FastifyInstance, { publicUrl = "" }: Pick<Config, "publicUrl">): void {
  let text: Validated | undefined;
  app.get("/llms.txt", async (request, reply) => {
    text ??= validated(textOf(publicUrl, { hasViewer: (await loadViewer()) !== undefined }));
    return sendValidated(text, request, reply.type("text/plain; charset=utf-8"));
  });
}
