import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { authorize } from "../auth/authorize";
import { GatewayError } from "../errors";
import { METADATA_PATH } from "../features/oauth/resources";
import { sendError, setErrorHead } from "../http/error-handler";
import { requireJson } from "../http/plugins/json-body";
import { answerMessage } from "./mcp-server";
import type { McpTool } from "./tools";

/** Allows any API key, because the tools check its scopes. */
const ANY_KEY = { allowed: { key: true, organizationKey: true }, whileDeactivated: false } as const;

/** JSON-RPC error codes. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * Adds `/mcp` to a server that authenticates requests: the Model Context Protocol over sessionless Streamable HTTP.
 * `/mcp/readonly` offers only tools that change nothing.
 * @param baseUrl the server's URL if it issues access tokens
 */
export function addMcp(app: FastifyInstance, all: readonly McpTool[], baseUrl?: string): void {
  const reading = all.filter(({ definition }) => definition.annotations?.readOnlyHint === true);
  if (baseUrl !== undefined)
    app.addHook("onSend", ({ routeOptions }, reply, payload, done) => {
      if (reply.statusCode === 401) {
        const challenge = String(reply.getHeader("www-authenticate"));
        const path = routeOptions.url?.replace(/\/$/, "");
        const metadata = `resource_metadata="${baseUrl}${METADATA_PATH}${path}"`;
        reply.header("www-authenticate", `${challenge}${challenge.includes(" ") ? "," : ""} ${metadata}`);
      }
      done(null, payload);
    });
  app.setErrorHandler((error: FastifyError | Error, request, reply) =>
    error instanceof GatewayError && error.code === "invalid_json"
      ? sendRpcError(PARSE_ERROR, error, request, reply)
      : sendError(error, request, reply),
  );
  const routeOf = (tools: ReadonlyMap<string, McpTool>): Omit<RouteOptions, "url"> => ({
    method: "POST",
    config: { api: "mcp" },
    onRequest: ({ callContext, headers }, _reply, done) => {
      authorize(callContext.caller, ANY_KEY, false);
      requireJson(headers);
      done();
    },
    handler: async (request, reply) => {
      if (Array.isArray(request.body)) {
        const error = new GatewayError("invalid_request", "Batching is not supported: send one message.");
        return sendRpcError(INVALID_REQUEST, error, request, reply);
      }
      const response = await answerMessage(request, tools);
      const text = await response.text();
      // Records the code of a protocol error; tool calls have already recorded their own error codes.
      if (/^\{[^{]*"error":/.test(text)) request.errorCode ??= "invalid_request";
      reply.code(response.status);
      return text === "" ? reply.send() : reply.type("application/json; charset=utf-8").send(text);
    },
  });
  for (const [path, tools] of [
    ["/mcp", all],
    ["/mcp/readonly", reading],
  ] as const) {
    const route = routeOf(new Map(tools.map((tool) => [tool.definition.name, tool])));
    for (const url of [path, `${path}/`]) app.route({ ...route, url });
  }
}

function sendRpcError(
  code: number,
  error: GatewayError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { message } = setErrorHead(error, request, reply);
  return reply
    .type("application/json; charset=utf-8")
    .send({ jsonrpc: "2.0", id: null, error: { code, message } });
}
