import type { Client, VersionNegotiationMode } from "@modelcontextprotocol/client";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { ROUTES } from "../../src/features";
import type { Call, Reply, TestGateway } from "./gateway";

export type Arguments = Record<string, unknown>;

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
addFormats.default(ajv);

/** Compiles a tool's schema strictly. */
export const compileSchema = (schema: object) => ajv.compile(schema);

/** Sends a JSON-RPC request. */
export const rpc = (
  gateway: Pick<TestGateway, "rest">,
  method: string,
  params: object = {},
  call: Call = {},
): Promise<Reply> =>
  gateway.rest("POST", "/mcp", { body: { jsonrpc: "2.0", id: 1, method, params }, ...call });

/** Calls a tool with a JSON-RPC request. */
export const callTool = (gateway: TestGateway, name: string, args: Arguments = {}, call: Call = {}) =>
  rpc(gateway, "tools/call", { name, arguments: args }, call);

/** Returns a tool's error in REST's format; undefined if the call succeeded. */
export const toolError = ({ body }: Reply) =>
  body?.result?.isError === true ? JSON.parse(body.result.content[0].text) : undefined;

/**
 * Connects the official client.
 * @param mode the protocol version that it starts with
 */
export async function mcpClient(
  { url }: TestGateway,
  token: string,
  mode: VersionNegotiationMode = "legacy",
): Promise<Client> {
  // Must be set before the client creates its schemas; the client and the server share zod.
  (require("zod") as typeof import("zod")).config({ jitless: true });
  const library: typeof import("@modelcontextprotocol/client") = require("@modelcontextprotocol/client");
  const client = new library.Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode },
      jsonSchemaValidator: {
        getValidator: <T>(schema: object) => {
          const validate = compileSchema(schema);
          return (input: unknown) =>
            validate(input)
              ? { valid: true, data: input as T, errorMessage: undefined }
              : { valid: false, data: undefined, errorMessage: ajv.errorsText(validate.errors) };
        },
      },
    },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new library.StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }),
  );
  return client;
}

/** Returns the REST request with the same effect as a tool call. */
export function restRequestOf(tool: string, args: Arguments): [method: string, path: string, call: Call] {
  const route = ROUTES.find(({ operationId }) => operationId === tool);
  if (route === undefined) throw new Error(`There is no route ${tool}.`);
  const { idempotencyKey, ...others } = args;
  const take = (name: string) => {
    const value = others[name];
    delete others[name];
    return value;
  };
  const path = route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(take(name))));
  const query = new URLSearchParams();
  for (const { name } of route.queryParameters ?? []) {
    for (const each of [take(name) ?? []].flat()) query.append(name, String(each));
  }
  const takesBody = route.bodyVariable !== undefined || route.bodyMembers !== undefined;
  return [
    route.method,
    query.size > 0 ? `${path}?${query}` : path,
    {
      ...(takesBody && { body: others }),
      ...(idempotencyKey !== undefined && { headers: { "idempotency-key": String(idempotencyKey) } }),
    },
  ];
}
