import { typographic } from "./typographic";

/** A problem with an input value, such as "must not be empty" at the path `input.name`. */
export interface InputProblem {
  path: string;
  message: string;
}

/** The error from a failed request. Its message is suitable for the user. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    /** Code from the server's error table; `unreachable` if there was no response. */
    readonly code: string,
    /** Identifies the request in the server's log; undefined if there was no response. */
    readonly requestId?: string,
    readonly retryAfterSeconds?: number,
    /** All problems with the input if the code is `invalid_request`; otherwise empty. */
    readonly problems: readonly InputProblem[] = [],
    /** ID of the open conversation that a conflict is about. */
    readonly conversationId?: string,
  ) {
    super(message);
  }
}

const RETRYING = "Can’t reach the server. Retrying…";

/** Messages that differ from the server's error table, by code. */
const SENTENCES: Readonly<Record<string, string>> = {
  unreachable: "Can’t reach the server. Try again in a moment.",
  internal_error: "Something went wrong on the server. The error has been logged.",
  unavailable: "The server is temporarily unavailable. Try again in a moment.",
  organization_deactivated: "Your organization is deactivated. Reactivate it to make changes.",
  version_conflict: "This has changed since you opened it. Open it again to see the changes.",
  invalid_credentials: "Incorrect e-mail or password.",
};

/**
 * Returns the failure as a sentence for the user.
 * @param polled true if the page retries automatically
 */
export function sentenceOf(error: unknown, { polled = false } = {}): string {
  if (!(error instanceof ApiError)) return "Something went wrong on this page. Reload it and try again.";
  if (error.code === "too_many_attempts") {
    const minutes = Math.ceil((error.retryAfterSeconds ?? 60) / 60);
    return `Too many attempts. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
  }
  if (polled && error.code === "unreachable") return RETRYING;
  const { code, problems, message, conversationId } = error;
  const sentence = problems.map(sentenceOfProblem).join(" ") || message;
  // `Failure` links to the conversation, so the message omits its ID.
  return SENTENCES[code] ?? typographic(sentence.replace(`Conversation ${conversationId}`, "A conversation"));
}

/** Form labels of fields that have other names in the API. */
const LABELS: Readonly<Record<string, string>> = {
  email: "E-mail",
  from: "From",
  host: "Mail server",
  listAddress: "Mailing list",
  locale: "Language",
  ratePerMinute: "Max messages per minute",
  rateLimitPerMinute: "Requests per minute",
  security: "Encryption",
  timezone: "Time zone",
  user: "User name",
};

/** Sentences that replace the API's wording of a problem, by field and the beginning of its message. */
const PROBLEMS: readonly (readonly [field: string, message: string, sentence: string])[] = [
  ["scopes", "must contain at least one scope", "Choose at least one scope."],
  ["types", "must not be empty", "Choose at least one event."],
  ["password", "is required: pass both", "Enter a password, or clear the user name."],
  ["password", "is required with a user", "Enter a password, or clear the user name."],
  ["user", "is required", "Enter a user name, or clear the password."],
  ["password", "must be passed again", "Enter the password again: the mail server changed."],
];

/** `input.newPassword` "must have …" → "New password must have …." */
function sentenceOfProblem({ path, message }: InputProblem): string {
  const field = fieldOf(path);
  const known = PROBLEMS.find(([name, start]) => name === field && message.startsWith(start));
  if (known !== undefined) return known[2];
  const label = LABELS[field];
  if (label !== undefined) return `${label} ${message}.`;
  const words = field.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`).replace(/\burl\b/i, "URL");
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

/** Returns the problem with an input field or an argument with that name; undefined if there is none. */
export const problemOf = (error: unknown, field: string): string | undefined =>
  isAboutField(error, field)
    ? (error as ApiError).problems
        .filter(({ path }) => fieldOf(path) === field)
        .map(sentenceOfProblem)
        .map(typographic)
        .join(" ")
    : undefined;

/** True if the request failed only because of fields that `isSuch` accepts. */
export const isOnlyAbout = (error: unknown, isSuch: (field: string) => boolean): boolean =>
  error instanceof ApiError &&
  error.problems.length > 0 &&
  error.problems.every(({ path }) => isSuch(fieldOf(path)));

/** True if the request failed because there is no session or it has expired. */
export const isSessionError = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "invalid_session" || error.code === "unauthenticated");

/** True if the resource does not exist or is no longer visible to the member. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "not_found";

/** True if the resource has changed since it was loaded. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "version_conflict";

/** True if the server or a proxy is at fault; the request ID then helps to find the cause in a log. */
export const isServerError = ({ code }: ApiError): boolean =>
  ["internal_error", "unavailable", "unreachable"].includes(code);

/** True if a retry may help. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "unreachable" || error.code === "unavailable");
