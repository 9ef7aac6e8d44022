import { STATUS_CODES } from "node:http";
import { ERROR_MESSAGE_MAX_LENGTH, ERRORS, type ErrorCode } from "../../errors";
import { PROBLEM_TYPE } from "../../http/error-body";
import { RATE_LIMIT_HEADERS } from "../../rate-limits/rate-limit";
import { needsScope } from "../../schema/access";
import { keysOf } from "../../schema/rest-route";
import type { JsonSchema } from "../json-value";
import type { RoutePlan } from "../plan";
import { DEPRECATION_HEADERS, type HeaderName, headers } from "./headers";

/** Errors for requests that match no operation, such as 405 for a method that the path does not support. */
const ANYWHERE: readonly ErrorCode[] = ["not_found", "method_not_allowed", "misdirected_request"];

/** Returns the schemas of error bodies, by name. */
export function errorSchemas(
  plans: readonly RoutePlan[],
  more: readonly ErrorCode[],
): Record<"Error" | "Problem", JsonSchema> {
  const codes = [...new Set([...plans.flatMap(errorCodes), ...more, ...ANYWHERE])];
  const text = { type: "string", maxLength: ERROR_MESSAGE_MAX_LENGTH };
  const members = {
    code: { type: "string", enum: codes, description: "Machine-readable error code." },
    message: { ...text, description: "Human-readable description." },
    status: {
      type: "integer",
      format: "int32",
      enum: [...new Set(codes.map((code) => ERRORS[code].status))],
      description: "The HTTP status code.",
    },
  };
  const titles = [...new Set(codes.map((code) => STATUS_CODES[ERRORS[code].status]))];
  const problem = {
    type: { type: "string", enum: ["about:blank"], description: "`code` identifies the kind of problem." },
    title: { type: "string", enum: titles, description: "The reason phrase of the HTTP status code." },
    ...members,
    detail: { ...text, description: "The same as `message`." },
  };
  return {
    Error: bodyOf("The error of a rejected or failed request.", members),
    Problem: bodyOf("An error as problem details (RFC 9457).", problem),
  };
}

const bodyOf = (description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "object",
  description,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Returns the possible error codes of an operation, derived from its inputs and its declaration. */
function errorCodes({ route, field, body, idempotencyKey, canBeMissing }: RoutePlan): ErrorCode[] {
  const has = (holds: unknown, ...codes: ErrorCode[]) => (holds ? codes : []);
  const takesBytes = route.method !== "GET";
  const codes = [
    ...has(true, "invalid_request"),
    ...has(route.pageInfo, "invalid_cursor"),
    ...has(body, "invalid_json", "invalid_content_type"),
    ...has(
      true,
      "unauthenticated",
      "invalid_api_key",
      "key_expired",
      "key_not_resolvable",
      "invalid_session",
    ),
    ...has(true, "key_revoked", "address_not_allowed", "forbidden"),
    ...has(needsScope(field, keysOf(route)), "insufficient_scope"),
    ...has(canBeMissing, "not_found"),
    ...has(true, "request_timeout"),
    ...has(idempotencyKey, "idempotency_key_reused"),
    ...has(takesBytes, "payload_too_large"),
    ...has(body, "unsupported_content_encoding"),
    ...has(true, "misdirected_request", "rate_limited", "too_many_attempts", "header_fields_too_large"),
    ...has(true, "internal_error", "unavailable"),
    ...(route.errors ?? []),
  ];
  return [...new Set(codes)].sort((a, b) => ERRORS[a].status - ERRORS[b].status);
}

/** The reusable error responses of the document. */
export class ErrorResponses {
  private readonly all = new Map<string, JsonSchema>();
  private readonly common: readonly ErrorCode[];

  /** @param plans plans of all operations; response names omit the codes that all of them share */
  constructor(plans: readonly RoutePlan[]) {
    const [first = [], ...others] = plans.map(errorCodes);
    this.common = first.filter((code) => others.every((codes) => codes.includes(code)));
  }

  /** Returns references to the error responses of an operation, by status. */
  of(plan: RoutePlan): Record<string, JsonSchema> {
    return this.byStatus(errorCodes(plan), (status, possible) => {
      // Responses with status 408 or 431 have no deprecation headers, because the HTTP parser sends them
      // before routing.
      const deprecated = plan.route.deprecation !== undefined && ![408, 431].includes(status);
      const more = [
        ...(AFTER_AUTHENTICATION.has(status) ? RATE_LIMIT_HEADERS : []),
        ...(deprecated ? DEPRECATION_HEADERS : []),
      ];
      return [
        `${this.nameOf(status, possible)}${deprecated ? "Deprecated" : ""}`,
        response(status, possible, more),
      ];
    });
  }

  /** Returns references to the error responses of an operation that needs no API key, by status. */
  ofCodes(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
    return this.byStatus(codes, (status, possible) => [
      `${this.nameOf(status, possible)}WithoutKey`,
      response(status, possible, []),
    ]);
  }

  private byStatus(
    codes: readonly ErrorCode[],
    named: (status: number, possible: readonly ErrorCode[]) => [name: string, response: JsonSchema],
  ): Record<string, JsonSchema> {
    const statuses = [...new Set(codes.map((code) => ERRORS[code].status))];
    return Object.fromEntries(
      statuses.map((status) => {
        const [name, described] = named(
          status,
          codes.filter((code) => ERRORS[code].status === status),
        );
        this.all.set(name, described);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  /** Builds a name from the status and the codes that only some operations have: `BadRequestOrInvalidCursor`. */
  private nameOf(status: number, possible: readonly ErrorCode[]): string {
    const special = possible.filter((code) => !this.common.includes(code)).map(pascal);
    const common = special.length < possible.length ? [(STATUS_CODES[status] ?? "").replace(/\W/g, "")] : [];
    return [...common, ...special].join("Or");
  }

  toJSON(): Record<string, JsonSchema> {
    return Object.fromEntries(this.all);
  }
}

const pascal = (code: string): string => code.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());

function response(status: number, codes: readonly ErrorCode[], more: readonly HeaderName[]): JsonSchema {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join("\n\n"),
    headers: headers(
      ...(ERROR_HEADERS[status] ?? []),
      ...(codes.includes("insufficient_scope") ? (["WWW-Authenticate"] as const) : []),
      ...more,
    ),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Error" },
            {
              // Declares types instead of using `const`, for generators that do not infer types (ogen).
              type: "object",
              properties: {
                code: { type: "string", enum: codes },
                status: { type: "integer", format: "int32", enum: [status] },
              },
            },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { code, message: ERRORS[code].message, status } }]),
        ),
      },
      [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } },
    },
  };
}

const ERROR_HEADERS: Readonly<Record<number, HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  415: ["Accept-Encoding"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Status codes that can occur after the request has been counted against the rate limit. */
const AFTER_AUTHENTICATION = new Set([400, 403, 404, 409, 410, 413, 415, 429, 500, 503]);
