/** Why a request failed. The message is fit for the user. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    /** From the server's error table; `unreachable` if there was no response. */
    readonly code: string,
    /** Identifies the request in the server's log; undefined if there was no response. */
    readonly requestId?: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

const RETRYING = "Can’t reach the server. Retrying…";

/** Codes with another sentence here than in the server's error table. */
const SENTENCES: Readonly<Record<string, string>> = {
  unreachable: "Can’t reach the server. Try again in a moment.",
  internal_error: "Something went wrong on the server. It has been logged.",
  unavailable: "The server can’t reach its database. Try again in a moment.",
  organization_deactivated: "Your organization is deactivated. Reactivate it to make changes.",
  invalid_credentials: "Incorrect email or password.",
};

/**
 * The failure as a sentence for the user.
 * @param polled whether the page retries by itself
 */
export function sentenceOf(error: unknown, { polled = false } = {}): string {
  if (!(error instanceof ApiError)) return "Something went wrong in this page. Reload it and try again.";
  if (error.code === "too_many_attempts") {
    const minutes = Math.ceil((error.retryAfterSeconds ?? 60) / 60);
    return `Too many attempts. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
  }
  if (polled && error.code === "unreachable") return RETRYING;
  return SENTENCES[error.code] ?? asSentence(error.message);
}

/** The server starts its messages with the name of the field, as in a request. */
const asSentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith(".") ? "" : "."}`;

/** Whether the request failed because there is no session or it has expired. */
export const isSessionError = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "invalid_session" || error.code === "unauthenticated");

/** Whether users can correct the mistake themselves, without quoting a request ID to anyone. */
export const isOwnMistake = ({ code }: ApiError): boolean =>
  code === "invalid_credentials" || code === "too_many_attempts";

/** Whether a retry may help. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "unreachable" || error.code === "unavailable");
