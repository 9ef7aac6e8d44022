import { type AnyValueMap, logs, SeverityNumber } from "@opentelemetry/api-logs";

const SEVERITIES: Readonly<Record<number, SeverityNumber>> = {
  10: SeverityNumber.TRACE,
  20: SeverityNumber.DEBUG,
  30: SeverityNumber.INFO,
  40: SeverityNumber.WARN,
  50: SeverityNumber.ERROR,
  60: SeverityNumber.FATAL,
};

/** A line as written by pino; its process and trace are already part of each record. */
interface Line extends AnyValueMap {
  level: number;
  time: number;
  msg?: string;
  err?: { type?: string; message?: string; stack?: string; [more: string]: AnyValueMap[string] };
}

/** Sends a line of the log as a record of the active span; does nothing unless logs are exported. */
export function exportLine(line: string): void {
  const { level, time, msg, err, pid, hostname, trace_id, span_id, ...attributes } = JSON.parse(line) as Line;
  const { type, message, stack, ...more } = err ?? {};
  logs.getLogger("gateway").emit({
    timestamp: time,
    severityNumber: SEVERITIES[level] ?? SeverityNumber.UNSPECIFIED,
    body: msg,
    attributes: {
      ...attributes,
      ...(err && {
        ...more,
        "exception.type": type,
        "exception.message": message,
        "exception.stacktrace": stack,
      }),
    },
  });
}
