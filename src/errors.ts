import { excerpt, redactTokens } from "./credentials/redact-tokens";

/** The complete table of errors: code → HTTP status and default message. The APIs send no other errors. */
export const ERRORS = {
  invalid_request: { status: 400, message: "A value in the request is missing or invalid." },
  invalid_json: { status: 400, message: "The body is not valid JSON." },
  invalid_content_type: { status: 400, message: "The request must have Content-Type: application/json." },
  invalid_cursor: { status: 400, message: "The cursor was not issued by this service." },
  graphql_parse_failed: { status: 400, message: "The GraphQL document cannot be parsed." },
  graphql_validation_failed: {
    status: 400,
    message: "The GraphQL document is not valid against the schema.",
  },
  query_too_complex: { status: 400, message: "The GraphQL document is too complex." },
  unauthenticated: {
    status: 401,
    message: "This request requires an Authorization header: Bearer <API_KEY>.",
  },
  invalid_api_key: { status: 401, message: "The API key is malformed or unknown." },
  key_expired: { status: 401, message: "The API key has expired." },
  key_not_resolvable: {
    status: 401,
    message: "The API key is rejected because its organization is deactivated.",
  },
  invalid_session: { status: 401, message: "The session has ended. Sign in again." },
  invalid_credentials: { status: 401, message: "The e-mail address or password is wrong." },
  passkey_required: {
    status: 401,
    message: "The password is correct, but the member must also sign in with a passkey.",
  },
  invalid_passkey: { status: 401, message: "The passkey was not accepted." },
  invalid_signature: {
    status: 401,
    message:
      "The request must have Standard Webhooks headers and be signed with the secret of an existing line.",
  },
  invalid_invitation: {
    status: 401,
    message: "The invitation was used, withdrawn or replaced, or has expired. Ask for a new one.",
  },
  key_revoked: { status: 403, message: "The API key has been revoked." },
  address_not_allowed: { status: 403, message: "The API key may not be used from this address." },
  recent_sign_in_required: {
    status: 403,
    message:
      "This operation requires a sign-in within the last 15 minutes. Confirm the sign-in, or sign in again.",
  },
  forbidden: { status: 403, message: "The caller is not allowed to perform this operation." },
  insufficient_scope: { status: 403, message: "The API key lacks the required scope." },
  organization_deactivated: {
    status: 403,
    message: "The organization is deactivated and cannot be changed.",
  },
  not_found: { status: 404, message: "The resource does not exist." },
  method_not_allowed: { status: 405, message: "The resource does not support this method." },
  request_timeout: { status: 408, message: "The request took too long to arrive." },
  conflict: { status: 409, message: "The request conflicts with the current state of the resource." },
  idempotency_key_reused: {
    status: 409,
    message: "The idempotency key was already used with a different request.",
  },
  version_conflict: { status: 409, message: "The resource is no longer at the expected version." },
  not_deliverable: { status: 409, message: "The line cannot reach the contact." },
  limit_reached: { status: 409, message: "The resource has reached its limit." },
  position_expired: { status: 410, message: "The events after this position are no longer stored." },
  payload_too_large: { status: 413, message: "The body is larger than the server accepts." },
  unsupported_content_encoding: { status: 415, message: "The server accepts only uncompressed bodies." },
  misdirected_request: { status: 421, message: "This server does not serve the host in the request." },
  rate_limited: { status: 429, message: "The API key has exceeded its rate limit." },
  queue_full: { status: 429, message: "Too many messages are queued. Wait until some have been sent." },
  too_many_attempts: { status: 429, message: "Too many attempts. Wait before trying again." },
  header_fields_too_large: {
    status: 431,
    message: "The request headers are larger than the server accepts.",
  },
  internal_error: { status: 500, message: "An internal error occurred." },
  unavailable: { status: 503, message: "The service is temporarily unavailable. Try again soon." },
} as const satisfies Record<string, { status: number; message: string }>;

/** A value of `code` (REST) or `extensions.code` (GraphQL). */
export type ErrorCode = keyof typeof ERRORS;

/** The JSON body of every REST error. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  status: number;
}

/** A problem with an input, such as `input.name` and "must not be empty". It never contains the submitted value. */
export interface InputProblem {
  /** Location of the value: an argument or variable, then the fields and list items within it, joined by dots. */
  path: string;
  message: string;
}

export const ERROR_MESSAGE_MAX_LENGTH = 10_000;

const STATUS_HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { "www-authenticate": "Bearer" },
  // RFC 9110, 15.5.16
  415: { "accept-encoding": "identity" },
  503: { "retry-after": "1" },
};

/** RFC 6750, 3.1: only a request that presented a credential gets an error code. */
const INVALID_TOKEN = { "www-authenticate": 'Bearer error="invalid_token"' };

const CODE_HEADERS: Readonly<Partial<Record<ErrorCode, Record<string, string>>>> = {
  invalid_api_key: INVALID_TOKEN,
  key_expired: INVALID_TOKEN,
  key_not_resolvable: INVALID_TOKEN,
  invalid_session: INVALID_TOKEN,
  invalid_signature: { "www-authenticate": "Standard-Webhooks" },
};

/** An error that is sent to the client; any other error is sent as `internal_error`. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";

  /**
   * @param details response headers (`Allow`, `Retry-After`), additional members of `extensions` in GraphQL, and the
   *   cause for the log
   */
  constructor(
    readonly code: ErrorCode,
    message: string = ERRORS[code].message,
    private readonly details: ErrorOptions & {
      headers?: Record<string, string>;
      extensions?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    // Truncates and redacts the message, because some messages quote client input.
    super(excerpt(message, ERROR_MESSAGE_MAX_LENGTH), details);
  }

  /** Additional members of `extensions` in GraphQL. */
  get extensions(): Readonly<Record<string, unknown>> {
    return this.details.extensions ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Response headers that the status requires: RFC 9110, 11.6.1 for 401 and 10.2.3 for 503. */
  get headers(): Record<string, string> {
    return { ...STATUS_HEADERS[this.status], ...CODE_HEADERS[this.code], ...this.details.headers };
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** The error of work that has no reader any more; it is only logged. */
export const clientDisconnected = (): GatewayError =>
  new GatewayError("invalid_request", "The client has disconnected.");

/**
 * Returns the error for a resource that does not exist or is not visible to the caller; the caller must not learn
 * which.
 * @param what the kind of resource, such as "contact"
 */
export const noSuch = (what: string) => new GatewayError("not_found", `The ${what} does not exist.`);

/** Max problems reported for one input. */
export const MAX_PROBLEMS = 10;

/** `invalid_request` with its problems by path, so that clients do not have to parse the message. */
export class InvalidInput extends GatewayError {
  override readonly name = "InvalidInput";

  readonly problems: readonly InputProblem[];

  /** @param extensions additional members of `extensions` in GraphQL */
  constructor(problems: readonly InputProblem[], extensions: Readonly<Record<string, unknown>> = {}) {
    const reported = problems.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({
      path: redactTokens(path),
      message: redactTokens(message),
    }));
    const message = reported.map(({ path, message }) => `${path} ${message}`).join("; ");
    super("invalid_request", message, { extensions });
    this.problems = reported;
  }

  /** Returns the same problems with paths below `parent`: `name` becomes `input.name`. */
  within(parent: string): InvalidInput {
    return new InvalidInput(
      this.problems.map(({ path, message }) => ({ path: `${parent}.${path}`, message })),
      this.extensions,
    );
  }

  /**
   * Returns the same problems with renamed paths.
   * @param names names by path; the longest matching path wins: `{ first: "limit" }` and `{ "input.text": "message" }`
   *   rename an argument and an input field; `{ input: "" }` removes an argument before its fields
   */
  renamed(names: Readonly<Record<string, string>>): InvalidInput {
    const rename = (path: string): string => {
      for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
        const name = names[path.slice(0, end)];
        if (name !== undefined) return name === "" ? path.slice(end + 1) || path : name + path.slice(end);
      }
      return path;
    };
    return new InvalidInput(
      this.problems.map(({ path, message }) => ({ path: rename(path), message })),
      this.extensions,
    );
  }
}

/** The process cannot start or complete its command; the message is one line for a terminal. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

/** Runs work; any failure becomes a StartupError with a message. */
export async function explaining<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(message, { cause });
  }
}
