import { redactTokens } from "./credentials/redact-tokens";

/**
 * The closed table of everything that the service can refuse or fail with: machine-readable code → HTTP
 * status and default message. Both doors answer from it and from nothing else.
 */
export const ERRORS = {
  invalid_request: { status: 400, message: "The request holds a missing or invalid value." },
  invalid_json: { status: 400, message: "The body is not valid JSON." },
  invalid_content_type: { status: 400, message: "The request needs Content-Type: application/json." },
  invalid_cursor: { status: 400, message: "The cursor is not one that this service handed out." },
  graphql_parse_failed: { status: 400, message: "The GraphQL document cannot be parsed." },
  graphql_validation_failed: { status: 400, message: "The GraphQL document does not fit the schema." },
  query_too_complex: { status: 400, message: "The GraphQL document asks for too much." },
  unauthenticated: { status: 401, message: "This needs an Authorization header: Bearer <API_KEY>." },
  invalid_api_key: { status: 401, message: "The API key is malformed or unknown." },
  key_expired: { status: 401, message: "The API key has expired." },
  key_not_resolvable: {
    status: 401,
    message: "The API key does not resolve: its organization is deactivated.",
  },
  invalid_session: { status: 401, message: "The session has ended. Sign in again." },
  invalid_credentials: { status: 401, message: "The e-mail address or the password is wrong." },
  key_revoked: { status: 403, message: "The API key has been revoked." },
  forbidden: { status: 403, message: "The caller may not do this." },
  insufficient_scope: { status: 403, message: "The API key lacks the scope that this needs." },
  organization_deactivated: {
    status: 403,
    message: "The organization is deactivated: nothing can be changed.",
  },
  not_found: { status: 404, message: "There is no such resource." },
  method_not_allowed: { status: 405, message: "The method is not allowed here." },
  request_timeout: { status: 408, message: "The request took too long to arrive." },
  conflict: { status: 409, message: "The request conflicts with the present state." },
  idempotency_key_reused: {
    status: 409,
    message: "The idempotency key was already used with a different request.",
  },
  payload_too_large: { status: 413, message: "The body is larger than the server accepts." },
  unsupported_content_encoding: { status: 415, message: "The server takes bodies uncompressed only." },
  misdirected_request: { status: 421, message: "The server does not answer for this host." },
  rate_limited: { status: 429, message: "The key makes more requests than it may." },
  too_many_attempts: { status: 429, message: "Too many attempts. Wait before trying again." },
  header_fields_too_large: {
    status: 431,
    message: "The request headers are larger than the server accepts.",
  },
  internal_error: { status: 500, message: "Something went wrong on the server." },
  unavailable: { status: 503, message: "The service cannot answer right now. Try again shortly." },
} as const satisfies Record<string, { status: number; message: string }>;

/** One of the codes that a client may meet in `code` (REST) or `extensions.code` (GraphQL). */
export type ErrorCode = keyof typeof ERRORS;

/** The JSON body of every REST error. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  status: number;
}

/** One thing wrong with an input: where, in the words of the GraphQL schema, and what. */
export interface InputProblem {
  path: string;
  problem: string;
}

const STATUS_HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { "www-authenticate": "Bearer" },
  // RFC 9110, 15.5.16
  415: { "accept-encoding": "identity" },
  503: { "retry-after": "1" },
};

/** RFC 6750, 3.1: a credential was presented and is not good; without one there is no error to name. */
const INVALID_TOKEN = { "www-authenticate": 'Bearer error="invalid_token"' };

const CODE_HEADERS: Readonly<Partial<Record<ErrorCode, Record<string, string>>>> = {
  invalid_api_key: INVALID_TOKEN,
  key_expired: INVALID_TOKEN,
  key_not_resolvable: INVALID_TOKEN,
  invalid_session: INVALID_TOKEN,
};

/** Any failure that a client is told about; everything else is answered `internal_error`. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";

  /** @param details headers that the answer must carry (`Allow`, `Retry-After`), and the cause, for the log */
  constructor(
    readonly code: ErrorCode,
    message: string = ERRORS[code].message,
    private readonly details: ErrorOptions & { headers?: Record<string, string> } = {},
  ) {
    // Some messages quote what the client sent.
    super(redactTokens(message), details);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Response headers that HTTP wants beside the status: RFC 9110, 11.6.1 for 401 and 10.2.3 for 503. */
  get headers(): Record<string, string> {
    return { ...STATUS_HEADERS[this.status], ...CODE_HEADERS[this.code], ...this.details.headers };
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** Problems of one input that are told. */
export const MAX_PROBLEMS = 10;

/** `invalid_request` with its problems by path, so that each door can name the fields in its own words. */
export class InvalidInput extends GatewayError {
  override readonly name = "InvalidInput";

  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    const told = problems.slice(0, MAX_PROBLEMS);
    super("invalid_request", told.map(({ path, problem }) => `${path} ${problem}`).join("; "));
    this.problems = told;
  }

  /** The same problems under other names: `{ first: "limit" }` says `limit` where the schema says `first`. */
  renamed(names: Readonly<Record<string, string>>): InvalidInput {
    return new InvalidInput(
      this.problems.map(({ path, problem }) => ({ path: names[path] ?? path, problem })),
    );
  }
}

/** Why the process cannot start, in one line fit for a terminal. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
