import { isNativeError } from "node:util/types";
import { trace } from "@opentelemetry/api";
import pino, { type Logger, type LoggerOptions } from "pino";
import pretty from "pino-pretty";
import { QueryFailedError } from "typeorm";
import { logThrottle } from "./common/throttled-log";
import type { Config } from "./config";
import { redactTokens } from "./credentials/redact-tokens";
import { driverCode } from "./database/engine";
import type { ErrorCode } from "./errors";

/** The log message of failures that clients receive with this error code. */
const UNAVAILABLE: ErrorCode = "unavailable";

/** Returns the options of a log: its level, redaction, serializers and throttling. */
export const logOptions = (level: Config["logLevel"]): LoggerOptions => ({
  level,
  redact: ["req.headers.authorization", "req.headers.cookie"],
  serializers: { err: describeFailure },
  hooks: { logMethod: throttleUnavailable() },
  mixin: traceIds,
});

/** Adds the IDs of the active span to each line. */
function traceIds(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** Log at most one failure per interval (ms) while the database is down, because every request fails alike. */
const UNAVAILABLE_INTERVAL_MS = 1_000;

function throttleUnavailable(): NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]> {
  const throttle = logThrottle(UNAVAILABLE_INTERVAL_MS);
  return function (args, method) {
    const [details, message] = args as unknown as [object, string | undefined];
    if (message !== UNAVAILABLE) return method.apply(this, args);
    const suppressed = throttle();
    if (suppressed === undefined) return;
    const counted = suppressed > 0 ? { ...details, suppressed } : details;
    method.apply(this, [counted, message] as unknown as typeof args);
  };
}

/** Max length of a logged SQL statement (characters); a batch insert only repeats its placeholders. */
const QUERY_MAX_LENGTH = 500;
/** Max length of a logged error message (characters), which may quote client input. */
const MESSAGE_MAX_LENGTH = 1_000;
const STACK_MAX_LENGTH = 8_000;

/** Max buffered log output while standard error cannot be written (characters). */
const MAX_WAITING = 1_000_000;

/**
 * Serializes an error without its other properties, such as SQL parameters and GraphQL documents, which may hold
 * hashes, addresses and client input.
 */
function describeFailure(error: unknown): unknown {
  // `instanceof` fails for errors that a native driver creates in another realm.
  const failure = isNativeError(error) ? error : new Error(String(error));
  const { type, message, stack } = pino.stdSerializers.err(failure);
  return {
    type,
    message: redactTokens(message.slice(0, MESSAGE_MAX_LENGTH)),
    stack: redactTokens(stack.slice(0, STACK_MAX_LENGTH)),
    code: driverCode(error),
    ...(error instanceof QueryFailedError && { query: error.query.slice(0, QUERY_MAX_LENGTH) }),
  };
}

/**
 * Creates the log: JSON lines on standard error, or readable lines when it is a terminal. The startup banner, which may
 * contain secrets, goes to standard output instead.
 */
export function createLogger(level: Config["logLevel"]): Logger {
  const options = logOptions(level);
  if (process.stderr.isTTY) {
    return pino(options, pretty({ destination: 2, sync: true, ignore: "pid,hostname", singleLine: true }));
  }
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MAX_WAITING });
  // A full disk must not end the service: lines are buffered, and new ones are dropped when the buffer is full.
  destination.on("error", () => undefined);
  return pino(options, destination);
}
