import { ERRORS, type ErrorCode } from "../errors";
import { RATE_LIMIT_HEADERS } from "../limits/rate-limit";
import type { JsonSchema } from "./input-schema";
import { type HeaderName, headers } from "./openapi-headers";
import type { RestRoute } from "./routes";

/** The body of a refusal with one of these codes. */
export function errorSchema(codes: readonly ErrorCode[]): JsonSchema {
  return {
    type: "object",
    description: "Why a request was refused or failed.",
    properties: {
      code: { type: "string", enum: codes, description: "Machine-readable error code." },
      message: { type: "string", description: "Human-readable description." },
      status: {
        type: "integer",
        enum: [...new Set(codes.map((code) => ERRORS[code].status))],
        description: "The HTTP status code.",
      },
    },
    required: ["code", "message", "status"],
    additionalProperties: false,
  };
}

/** What requests can meet that reach no route. */
export const ANYWHERE: readonly ErrorCode[] = [
  "not_found",
  "request_timeout",
  "expectation_failed",
  "misdirected_request",
  "header_fields_too_large",
];

/** The codes that a route can answer, by what it takes. */
export function errorCodes({ queryParameters, pathParameters, bodyVariable }: RestRoute): ErrorCode[] {
  return [
    "invalid_request",
    ...(queryParameters ? (["invalid_cursor"] as const) : []),
    ...(bodyVariable ? (["invalid_json", "invalid_content_type"] as const) : []),
    ...([
      "unauthenticated",
      "invalid_api_key",
      "key_expired",
      "key_not_resolvable",
      "invalid_session",
    ] as const),
    ...(["key_revoked", "forbidden"] as const),
    ...(pathParameters ? (["not_found"] as const) : []),
    ...(bodyVariable
      ? (["idempotency_key_reused", "payload_too_large", "unsupported_content_encoding"] as const)
      : []),
    // To the other methods of its path.
    "method_not_allowed",
    ...(["rate_limited", "too_many_attempts"] as const),
    ...(["internal_error", "unavailable"] as const),
  ];
}

/** The responses of an operation that can answer these codes, by status. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const possible = codes.filter((code) => ERRORS[code].status === status);
      return [
        status,
        {
          description: possible.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join("\n\n"),
          headers: headers(...(ERROR_HEADERS[status] ?? [])),
          content: {
            "application/json": {
              schema: {
                allOf: [
                  { $ref: "#/components/schemas/Error" },
                  { properties: { code: { enum: possible }, status: { const: status } } },
                ],
              },
              examples: Object.fromEntries(
                possible.map((code) => [code, { value: { code, message: ERRORS[code].message, status } }]),
              ),
            },
          },
        },
      ];
    }),
  );
}

const ERROR_HEADERS: Readonly<Record<number, HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  415: ["Accept-Encoding"],
  429: ["Retry-After", ...RATE_LIMIT_HEADERS],
  503: ["Retry-After"],
};
