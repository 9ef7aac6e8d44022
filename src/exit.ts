import { INVISIBLE } from "./common/invisible";
import { GatewayError, StartupError } from "./errors";

/** Prints a one-line reason for a failure and exits. */
export function reportAndExit(error: unknown, code = 1): never {
  process.stderr.write(`gateway: ${oneLine(explain(error))}\n`);
  process.exit(code);
}

/** Replaces line breaks with spaces, and other characters that could control the terminal with `?`. */
export const oneLine = (text: string): string =>
  text
    .trim()
    .replace(/[\r\n]+/g, " ")
    .replace(INVISIBLE, "?");

/**
 * Drops output that has no reader left, as in `keys list | head -1`, without affecting the exit code. If standard output
 * fails for any other reason, the process exits.
 */
export const tolerateClosedPipe = (): void => void process.stdout.on("error", onOutputError);

function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return;
  reportAndExit(new Error(`cannot write to standard output (${error.message})`));
}

/** Returns a one-line reason for a failure. */
export function explain(error: unknown): string {
  if (error instanceof StartupError || error instanceof GatewayError)
    return error.cause === undefined ? error.message : `${error.message} (${messageOf(error.cause)})`;
  if (hasCode(error, "EADDRINUSE")) return `port ${portOf(error)} is in use: set PORT to another port`;
  if (hasCode(error, "EACCES"))
    return `no permission to listen on port ${portOf(error)}: set PORT to another port`;
  if (hasCode(error, "EADDRNOTAVAIL") || hasCode(error, "ENOTFOUND")) {
    return `HOST is not an address of this machine (${messageOf(error)})`;
  }
  return messageOf(error);
}

/** True if listening failed with this code. */
const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error &&
  "code" in error &&
  error.code === code &&
  ("address" in error || "hostname" in error);

const portOf = (error: unknown) => (error as { port?: number }).port;

/** Returns the first line of an error's message; the message of an aggregate error is in its inner errors. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  if (error instanceof GatewayError && error.cause !== undefined) return messageOf(error.cause);
  return (error instanceof Error ? error.message || error.name : String(error)).split("\n")[0] ?? "";
}
