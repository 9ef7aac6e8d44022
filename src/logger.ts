import pino, { type Logger, type LoggerOptions } from "pino";
import pretty from "pino-pretty";
import { QueryFailedError } from "typeorm";
import type { Config } from "./config";
import { driverCode } from "./database/engine";
import { currentWork } from "./telemetry/trace";

/** What goes into a log of this level, and what does not, wherever it is written to. */
export const logOptions = (level: Config["logLevel"]): LoggerOptions => ({
  level,
  redact: ["req.headers.authorization", "req.headers.cookie"],
  serializers: { err: describeFailure },
  mixin: () => ({ ...currentWork()?.ids }),
});

/** A statement for a thousand rows says no more than its beginning (characters). */
const LONGEST_QUERY = 500;

/** A failed statement is logged without its values, in which there may be hashes, addresses and texts of clients. */
function describeFailure(error: Error): unknown {
  if (!(error instanceof QueryFailedError)) return pino.stdSerializers.err(error);
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message, stack, code: driverCode(error), query: error.query.slice(0, LONGEST_QUERY) };
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
  return pino(options, pino.destination({ dest: 2, sync: true }));
}
