import { changesInText, describeInText, type Entry } from "./sentence";

const COLUMNS: readonly [string, (entry: Entry) => string | number | null][] = [
  ["time (UTC)", ({ createdAt }) => createdAt],
  ["summary", describeInText],
  ["action", ({ action }) => action],
  ["actor kind", ({ actorKind }) => actorKind],
  ["actor", ({ actorName }) => actorName],
  ["actor ID", ({ actorId }) => actorId],
  ["target", ({ targetName }) => targetName],
  ["target ID", ({ targetId }) => targetId],
  ["target hint", ({ targetHint }) => targetHint],
  ["changes", changesInText],
  ["count", ({ count }) => count],
  ["IP address", ({ ip }) => ip],
  ["user agent", ({ userAgent }) => userAgent],
  ["request ID", ({ requestId }) => requestId],
  ["ID", ({ id }) => id],
];

/**
 * Positions where a spreadsheet may recognize a formula, including full-width forms (OWASP, CSV injection): at the
 * start of a cell, and after every character that may be configured as a cell separator.
 */
const FORMULA = /(^|[;,\t\r\n])(["'\s]*)(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

/** Returns the entries as CSV (RFC 4180), in UTF-8 with the byte order mark that spreadsheets expect. */
export function toCsv(entries: readonly Entry[]): string {
  const lines = [
    COLUMNS.map(([heading]) => cell(heading)),
    ...entries.map((entry) => COLUMNS.map(([, read]) => cell(read(entry)))),
  ];
  return `\ufeff${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

function cell(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = value ?? "";
  return `"${text.replace(FORMULA, "$1'$2").replaceAll('"', '""')}"`;
}
