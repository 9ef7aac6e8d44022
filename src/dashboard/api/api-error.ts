/** One thing wrong with what was sent: `input.name`, "must not be empty". */
export interface InputProblem {
  path: string;
  message: string;
}

/** Why a call failed, fit to be told to the person who made it. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    /** Of the service's error table; `unreachable` when no answer came. */
    readonly code: string,
    /** What the service's log knows the call under; undefined when no answer came. */
    readonly requestId?: string,
    readonly retryAfterSeconds?: number,
    /** Of `invalid_request`: every value at fault. */
    readonly problems: readonly InputProblem[] = [],
  ) {
    super(message);
  }
}

const STILL_TRYING = "The gateway does not answer. Check your connection; the page tries again by itself.";

/** What the table's own sentences leave to say for somebody in front of a page. */
const SENTENCES: Readonly<Record<string, string>> = {
  unreachable: "The gateway does not answer. Check your connection and try again.",
  internal_error: "Something went wrong on the gateway. It has been logged.",
  unavailable: "The gateway cannot reach its database right now. Try again in a moment.",
  organization_deactivated:
    "Your organization is deactivated: nothing can be changed until it is reactivated.",
  invalid_credentials: "The e-mail address or the password is wrong.",
};

/**
 * The failure of a call in a sentence for people.
 * @param polled whether the page makes the call again by itself
 */
export function sentenceOf(error: unknown, { polled = false } = {}): string {
  if (!(error instanceof ApiError)) return "Something went wrong in this page. Reload it and try again.";
  if (error.code === "too_many_attempts") {
    const minutes = Math.ceil((error.retryAfterSeconds ?? 60) / 60);
    return `Too many attempts. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
  }
  if (polled && error.code === "unreachable") return STILL_TRYING;
  return SENTENCES[error.code] ?? (error.problems.map(sentenceOfProblem).join(" ") || error.message);
}

/** `input.newPassword` "must have …" → "New password must have …." */
function sentenceOfProblem({ path, message }: InputProblem): string {
  const words = fieldOf(path).replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${message}.`;
}

const fieldOf = (path: string): string => path.split(".").at(-1) ?? path;

/** Whether a call failed because of a field of its input, or of an argument of that name. */
export const isAboutField = (error: unknown, field: string): boolean =>
  error instanceof ApiError && error.problems.some(({ path }) => fieldOf(path) === field);

/** Whether a call failed because nobody is signed in, or no longer. */
export const isSessionError = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "invalid_session" || error.code === "unauthenticated");

/** Whether who made the call can mend it alone: there is nothing to ask help for. */
export const isOwnMistake = ({ code }: ApiError): boolean =>
  code === "invalid_credentials" || code === "too_many_attempts";

/** Whether trying again may help. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "unreachable" || error.code === "unavailable");
