import { ROUTES } from "../../src/features";
import fc from "../support/generated";
import { hostile, int, json, junk, maybe, text } from "../support/hostile-values";
import { body } from "./rest-requests";

/** A POST to `/mcp`. */
export interface McpMessage {
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

const METHODS = [
  ...["initialize", "ping", "tools/list", "server/discover", "subscriptions/listen", "resources/list"],
  ...["logging/setLevel", "completion/complete", "notifications/initialized", "notifications/cancelled"],
  ...["tasks/cancel"],
];

/** The argument names of all tools. */
const ARGUMENTS = [
  ...new Set(
    ROUTES.flatMap(({ pathParameters = [], queryParameters = [], bodyMembers = [], example }) => [
      ...[...pathParameters, ...queryParameters, ...bodyMembers].map(({ name }) => name),
      ...Object.keys((example.body as object | undefined) ?? {}),
    ]),
  ),
  "idempotencyKey",
];

/** @param ids IDs of existing objects */
export function mcpMessage(ids: readonly string[]): fc.Arbitrary<McpMessage> {
  const odd = fc.dictionary(
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...ARGUMENTS) }, text),
    fc.oneof(fc.constantFrom(...ids), int, text, junk),
    { maxKeys: 5 },
  );
  const call = fc.constantFrom(...ROUTES).chain(({ operationId, pathParameters = [], example }) => {
    const usual = fc.constantFrom(...ids).map((id) => ({
      ...Object.fromEntries(pathParameters.map(({ name }) => [name, id])),
      ...(example.body as object | undefined),
    }));
    const both = fc.tuple(usual, odd).map(([good, bad]) => ({ ...good, ...bad }));
    return fc.record({
      name: hostile(fc.constant(operationId)),
      arguments: hostile(fc.oneof(usual, both, odd)),
    });
  });
  const meta = fc.constant({
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });
  const version = fc.constantFrom("2026-07-28", "2025-11-25", "1999-01-01", "x");
  const message = fc.record({
    jsonrpc: fc.oneof({ weight: 20, arbitrary: fc.constant("2.0") }, junk),
    id: maybe(hostile(fc.oneof(fc.nat(), text))),
    method: hostile(
      fc.oneof({ weight: 6, arbitrary: fc.constant("tools/call") }, fc.constantFrom(...METHODS)),
    ),
    params: maybe(
      hostile(
        fc
          .tuple(call, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, meta))
          .map(([params, more]) => ({ ...params, ...more })) as fc.Arbitrary<object>,
      ),
    ),
  });
  return fc
    .record({
      body: fc.oneof(
        { weight: 12, arbitrary: message.map((each) => json(each, String)) },
        { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }).map((each) => json(each, String)) },
        { weight: 1, arbitrary: body },
      ),
      headers: fc.record(
        {
          "mcp-protocol-version": version,
          "mcp-method": fc.constantFrom("tools/call", ...METHODS),
          "mcp-name": fc.constantFrom(...ROUTES.map(({ operationId }) => operationId)),
          "mcp-session-id": fc.constantFrom("x", "__proto__"),
        },
        { requiredKeys: [] },
      ),
      keep: fc.nat({ max: 7 }),
    })
    .map(({ headers, keep, ...rest }) => ({
      ...rest,
      headers: keep === 0 ? headers : usualHeaders(rest.body),
    }));
}

/** Returns the headers that belong to a message of the newest protocol. */
function usualHeaders(message: McpMessage["body"]): Record<string, string> {
  if (typeof message !== "string" || !message.includes("2026-07-28")) return {};
  const { method, params } = JSON.parse(message);
  const isPlain = (value: unknown): value is string => typeof value === "string" && /^[\w/]+$/.test(value);
  return {
    "mcp-protocol-version": "2026-07-28",
    ...(isPlain(method) && { "mcp-method": method }),
    ...(isPlain(params?.name) && { "mcp-name": params.name }),
  };
}
