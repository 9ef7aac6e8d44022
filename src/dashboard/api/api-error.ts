/** One problem with the input: `input.name`, "must not be empty". */
export interface InputProblem {
  path: string;
  message: string;
}

/** The error of a failed request. Its message is suitable for the user. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    /** Code from the server's error table; `unreachable` if there was no response. */
    readonly code: string,
    /** Identifies the request in the server's log; undefined if there was no response. */
    readonly requestId?: string,
    readonly retryAfterSeconds?: number,
    /** For `invalid_request`, all invalid values. */
    readonly problems: readonly InputProblem[] = [],
  ) {
    super(message);
  }
}

const RETRYING = "Can’t reach the server. Retrying…";

/** Codes whose text here differs from the server's error table. */
const SENTENCES: Readonly<Record<string, string>> = {
  unreachable: "Can’t reach the server. Try again in a moment.",
  internal_error: "Something went wrong on the server. It has been logged.",
  unavailable: "The server can’t reach its database. Try again in a moment.",
  organization_deactivated: "Your organization is deactivated. Reactivate it to make changes.",
  invalid_credentials: "Incorrect email or password.",
};

/**
 * The failure as a sentence for the user.
 * @param polled true if the page retries automatically
 */
export function sentenceOf(error: unknown, { polled = false } = {}): string {
  if (!(error instanceof ApiError)) return "Something went wrong in this page. Reload it and try again.";
  if (error.code === "too_many_attempts") {
    const minutes = Math.ceil((error.retryAfterSeconds ?? 60) / 60);
    return `Too many attempts. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
  }
  if (polled && error.code === "unreachable") return RETRYING;
  return SENTENCES[error.code] ?? (error.problems.map(sentenceOfProblem).join(" ") || error.message);
}

/** `input.newPassword` "must have …" → "New password must have …." */
function sentenceOfProblem({ path, message }: InputProblem): string {
  const words = fieldOf(path)
    .replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
    .replace(/\burl\b/i, "URL");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${message}.`;
}

/** `input.allowedNetworks.0` → `allowedNetworks` */
const fieldOf = (path: string): string =>
  path
    .split(".")
    .filter((part) => !/^\d+$/.test(part))
    .at(-1) ?? path;

/** True if a request failed because of an input field or an argument with that name. */
export const isAboutField = (error: unknown, field: string): boolean =>
  error instanceof ApiError && error.problems.some(({ path }) => fieldOf(path) === field);

/** The problem with an input field or an argument with that name; undefined if there is none. */
export const problemOf = (error: unknown, field: string): string | undefined =>
  isAboutField(error, field)
    ? (error as ApiError).problems
        .filter(({ path }) => fieldOf(path) === field)
        .map(sentenceOfProblem)
        .join(" ")
    : undefined;

/** True if every problem of a request is about one of these fields. */
export const isOnlyAbout = (error: unknown, fields: readonly string[]): boolean =>
  error instanceof ApiError &&
  error.problems.length > 0 &&
  error.problems.every(({ path }) => fields.includes(fieldOf(path)));

/** True if the request failed because there is no session or it has expired. */
export const isSessionError = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "invalid_session" || error.code === "unauthenticated");

/** True if the resource has changed since it was loaded. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "version_conflict";

/** True if users can correct the mistake themselves, without quoting a request ID to anyone. */
export const isUserError = ({ code }: ApiError): boolean =>
  [
    ...["invalid_credentials", "invalid_invitation", "invalid_passkey", "passkey_not_used"],
    ...["too_many_attempts", "conflict", "limit_reached"],
  ].includes(code);

/** True if a retry may help. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "unreachable" || error.code === "unavailable");
