import { INVISIBLE } from "../common/invisible";
import { redactTokens } from "../credentials/redact-tokens";
import { AttemptOutcome, type SendResult } from "./driver";
import { BlockedTarget } from "./targets";

/** Max length of a failure's `detail`. */
const DETAIL_MAX_LENGTH = 500;

/** Max length of a receiver's text quoted in `detail`. */
const QUOTE_MAX_LENGTH = 200;

export type Failure = Exclude<SendResult, { outcome: typeof AttemptOutcome.accepted }>;

/** Codes of failures in this process before anything was sent. */
const NOT_ATTEMPTED: ReadonlySet<string> = new Set(["not_sent", "lease_lost", "aborted"]);

/** True if a send was attempted, regardless of its outcome. */
export const wasAttempted = (result: SendResult): boolean =>
  !("code" in result && NOT_ATTEMPTED.has(result.code));

/** Ends an attempt before its message is sent, or while it waits for the receiver. */
export class Interruption extends Error {
  override readonly name = "Interruption";

  constructor(
    readonly code: "timeout" | "aborted" | "lease_lost" | "invalid_answer",
    message: string,
  ) {
    super(message);
  }
}

/** Creates a failure whose detail is well-formed, on one line, and short enough for the database and a terminal. */
export const failure = (
  outcome: Failure["outcome"],
  code: string,
  detail: string,
  retryAfterMs?: number,
): Failure => ({
  outcome,
  code,
  detail: oneLine(detail, DETAIL_MAX_LENGTH),
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

/** Quotes a receiver's message as the end of a sentence, without the secrets that it may echo. */
export function quote(text: string, secrets: readonly string[] = []): string {
  const hidden = secrets
    .filter((secret) => secret !== "")
    // JSON may escape the slashes of base64.
    .reduce(
      (rest, secret) => rest.replaceAll(secret, "[redacted]"),
      redactTokens(text).replaceAll("\\/", "/"),
    );
  const quoted = oneLine(hidden, QUOTE_MAX_LENGTH);
  return quoted === "" ? "." : `: ${quoted}`;
}

/** Replaces control and invisible characters, such as bidirectional overrides, with spaces. */
const oneLine = (text: string, length: number): string =>
  text.replace(INVISIBLE, " ").replace(/\s+/g, " ").trim().slice(0, length).toWellFormed();

/** The failure code and sentence for Node's error codes. */
const CONNECTION_ERRORS: readonly (readonly [RegExp, code: string, detail: string])[] = [
  [/^(ENOTFOUND|EAI_\w+|ENODATA|EDNS)$/, "dns", "The host name does not resolve to an address."],
  [/^ECONNREFUSED$/, "refused", "The host refused the connection."],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN)$/, "unreachable", "The host cannot be reached."],
  [/^ETIMEDOUT$/, "timeout", "The host did not respond in time."],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ECONNECTION)$/, "reset", "The connection was closed without a response."],
  [
    /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$|ETLS$|HOSTNAME_|INVALID_CA|PATH_LENGTH_)/,
    "tls",
    "The TLS connection failed",
  ],
  [/^(HPE_|EPROTOCOL$|EENVELOPE$|EMESSAGE$)/, "invalid_answer", "The response does not follow the protocol."],
];

/** Returns the failure for a connection error; `hasLeft` if the receiver may have got parts of the message. */
export function connectionFailure(error: unknown, hasLeft: boolean): Failure {
  const outcome = hasLeft ? AttemptOutcome.uncertain : AttemptOutcome.retryable;
  if (error instanceof BlockedTarget) {
    return failure(AttemptOutcome.permanent, "blocked_target", error.message);
  }
  if (error instanceof Interruption) return failure(outcome, error.code, error.message);
  const code = codeOf(error);
  const [, short, detail] = CONNECTION_ERRORS.find(([pattern]) => pattern.test(code)) ?? [
    undefined,
    "connection",
    "The connection failed",
  ];
  return failure(outcome, short, detail.endsWith(".") ? detail : `${detail}${code && ` (${code})`}.`);
}

/** Returns Node's error code; Nodemailer replaces it but retains the original. */
function codeOf(error: unknown): string {
  const { originalCode, code } = (error ?? {}) as { originalCode?: unknown; code?: unknown };
  return String(originalCode ?? code ?? "").slice(0, 60);
}

/** Calls back when an attempt times out or is aborted; returns a function that stops watching. */
export function onInterruption(
  signal: AbortSignal,
  timeoutMs: number,
  interrupt: (interruption: Interruption) => void,
): () => void {
  const abort = () => interrupt(new Interruption("aborted", "The attempt was aborted."));
  const timer = setTimeout(
    () => interrupt(new Interruption("timeout", "The receiver did not respond in time.")),
    timeoutMs,
  );
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
}
