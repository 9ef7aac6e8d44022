import { hostname } from "node:os";
import { isNativeError } from "node:util/types";
import { trace } from "@opentelemetry/api";
import pino, { type DestinationStream, type Logger, type LoggerOptions } from "pino";
import { logThrottle } from "./common/throttled-log";
import type { Config } from "./config";
import { redactTokens } from "./credentials/redact-tokens";
import { driverCode } from "./database/engine";
import type { ErrorCode } from "./errors";

/** The error code and log message of failures while the database is unavailable. */
const UNAVAILABLE: ErrorCode = "unavailable";

/** Returns the log options: level, redaction, serializers and throttling. */
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

/** Log at most one failure per interval (ms) while the database is down, because all requests fail the same way. */
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
/** Max length of a logged error message (characters); the message may quote client input. */
const MESSAGE_MAX_LENGTH = 1_000;
const STACK_MAX_LENGTH = 8_000;

/** Max length of a worker's log line (bytes); writes to a shared pipe are atomic up to this size. */
const LINE_MAX_LENGTH = 4_096;

/** Max buffered log output while standard error is blocked (characters). */
const MAX_WAITING = 1_000_000;

/**
 * Serializes only known properties of an error, because others, such as SQL parameters and GraphQL documents, may hold
 * hashes, addresses and client input. TypeORM's errors are recognized by their properties, because a supervisor does
 * not load TypeORM.
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
    ...("driverError" in failure &&
      "query" in failure && { query: String(failure.query).slice(0, QUERY_MAX_LENGTH) }),
  };
}

/**
 * Creates the log: JSON lines on standard error, or readable lines on a terminal. The startup banner, which may
 * contain secrets, goes to standard output instead.
 * @param worker number added to each line, if this process is one of several workers
 * @param isExported true if each line is also sent by OpenTelemetry
 */
export function createLogger(level: Config["logLevel"], worker?: number, isExported = false): Logger {
  const options = {
    ...logOptions(level),
    ...(worker !== undefined && { base: { pid: process.pid, hostname: hostname(), worker } }),
  };
  const stream = streamOf(worker);
  if (!isExported) return pino(options, stream);
  const { exportLine }: typeof import("./telemetry/log-export") = require("./telemetry/log-export");
  return pino(options, {
    write: (line) => {
      stream.write(line);
      exportLine(line);
    },
  });
}

function streamOf(worker?: number): DestinationStream {
  if (process.stderr.isTTY) {
    const pretty: typeof import("pino-pretty") = require("pino-pretty");
    return pretty({ destination: 2, sync: true, ignore: "pid,hostname", singleLine: true });
  }
  const destination = pino.destination({
    dest: 2,
    sync: true,
    maxLength: MAX_WAITING,
    maxWrite: LINE_MAX_LENGTH,
  });
  // A full disk must not stop the service: lines are buffered, then dropped once the buffer is full.
  destination.on("error", () => undefined);
  return worker === undefined ? destination : { write: (line) => destination.write(shortened(line)) };
}

/** Truncates the stack trace in a line that is too long for a worker. */
export function shortened(line: string): string {
  const excess = Buffer.byteLength(line) - LINE_MAX_LENGTH;
  if (excess <= 0) return line;
  const { err, ...fields } = JSON.parse(line);
  if (typeof err?.stack !== "string") return line;
  return `${JSON.stringify({ ...fields, err: { ...err, stack: err.stack.slice(0, -excess) } })}\n`;
}
