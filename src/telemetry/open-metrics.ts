import Negotiator from "negotiator";

const TEXT = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Converts metrics in the Prometheus text format to the format that an `Accept` header prefers. */
export function negotiated(text: string, accept = "*/*"): { type: string; text: string } {
  // Escaping schemes differ only for names with characters that no metric name contains.
  const headers = { accept: accept.replace(/;\s*escaping=[\w-]+/g, "") };
  const type = new Negotiator({ headers }).mediaType([TEXT, OPEN_METRICS]) ?? TEXT;
  return { type, text: type === TEXT ? text : openMetricsOf(text) };
}

/** Converts metrics to OpenMetrics: a counter's name has no suffix in its metadata, and there are no empty lines. */
const openMetricsOf = (text: string): string =>
  `${text
    .replace(/^# HELP (\S+)_total (.*)\n# TYPE \1_total counter$/gm, "# HELP $1 $2\n# TYPE $1 counter")
    .replace(/\n{2,}/g, "\n")
    .trim()}\n# EOF\n`;
