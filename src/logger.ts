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

/** What failures are logged as that clients are told as this code. */
const UNAVAILABLE: ErrorCode = "unavailable";

/** What goes into a log of this level, and what does not, wherever it is written to. */
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

/** Log at most one failure per interval while the database is away (ms): every request meets the same one. */
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

/** A statement for a thousand rows says no more than its beginning (characters). */
const QUERY_MAX_LENGTH = 500;
/** What clients sent may stand in what a failure says of itself (characters). */
const MESSAGE_MAX_LENGTH = 1_000;
const STACK_MAX_LENGTH = 8_000;

/** What a log that cannot be written keeps for later (characters). */
const MAX_WAITING = 1_000_000;

/**
 * A failure without what else hangs on it: the values of a statement, in which there may be hashes, addresses and texts
 * of clients, or a whole document of GraphQL.
 */
function describeFailure(error: unknown): unknown {
  // Not `instanceof`: a native driver may make its errors in another realm.
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
 * The log: one JSON object a line on standard error, or lines for people when that is a terminal. What the
 * service says to the person who starts it, secrets included, goes to standard output and never in here.
 */
export function createLogger(level: Config["logLevel"]): Logger {
  const options = logOptions(level);
  if (process.stderr.isTTY) {
    return pino(options, pretty({ destination: 2, sync: true, ignore: "pid,hostname", singleLine: true }));
  }
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MAX_WAITING });
  // A log on a full disk must not end the service: lines wait until they can be written, the latest are dropped.
  destination.on("error", () => undefined);
  return pino(options, destination);
}
