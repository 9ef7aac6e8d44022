import { GatewayError, StartupError } from "./errors";

/** Says in one line why the process cannot go on, and ends it with exit code 1. */
export function reportAndExit(error: unknown): never {
  process.stderr.write(`gateway: ${explain(error)}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (error instanceof StartupError || error instanceof GatewayError)
    return error.cause === undefined ? error.message : `${error.message} (${messageOf(error.cause)})`;
  if (hasCode(error, "EADDRINUSE")) return `port ${portOf(error)} is in use; set PORT to another`;
  if (hasCode(error, "EACCES")) return `may not listen on port ${portOf(error)}; set PORT to another`;
  if (hasCode(error, "EADDRNOTAVAIL") || hasCode(error, "ENOTFOUND")) {
    return `HOST is no address of this machine (${messageOf(error)})`;
  }
  return messageOf(error);
}

/** Whether listening failed like this. */
const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error &&
  "code" in error &&
  error.code === code &&
  ("address" in error || "hostname" in error);

const portOf = (error: unknown) => (error as { port?: number }).port;

/** The first line of an error; some, such as a failed connection to several addresses, say it only inside. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  if (error instanceof GatewayError && error.cause !== undefined) return messageOf(error.cause);
  return (error instanceof Error ? error.message || error.name : String(error)).split("\n")[0] ?? "";
}
