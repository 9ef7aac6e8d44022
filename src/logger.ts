import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Config } from "./config";

/**
 * The log: one JSON object a line on standard error, or lines for people when that is a terminal. What the
 * service says to the person who starts it, secrets included, goes to standard output and never in here.
 */
export function createLogger(level: Config["logLevel"]): Logger {
  const options = { level, redact: ["req.headers.authorization", "req.headers.cookie"] };
  if (process.stderr.isTTY) {
    return pino(options, pretty({ destination: 2, sync: true, ignore: "pid,hostname", singleLine: true }));
  }
  return pino(options, pino.destination({ dest: 2, sync: true }));
}
