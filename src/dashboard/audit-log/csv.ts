import { changesInText, type Entry, tellInText } from "./sentence";

const COLUMNS: readonly [string, (entry: Entry) => string | number | null][] = [
  ["time (UTC)", ({ createdAt }) => createdAt],
  ["what happened", tellInText],
  ["action", ({ action }) => action],
  ["actor kind", ({ actorKind }) => actorKind],
  ["actor", ({ actorName }) => actorName],
  ["actor id", ({ actorId }) => actorId],
  ["target", ({ targetName }) => targetName],
  ["target id", ({ targetId }) => targetId],
  ["target hint", ({ targetHint }) => targetHint],
  ["changes", changesInText],
  ["count", ({ count }) => count],
  ["address", ({ ip }) => ip],
  ["user agent", ({ userAgent }) => userAgent],
  ["request id", ({ requestId }) => requestId],
  ["id", ({ id }) => id],
];

/**
 * Where a spreadsheet would see a formula begin, wide forms too (OWASP, CSV injection): at the start of a cell, and after
 * what it may be set to separate cells by.
 */
const FORMULA = /(^|[;,\t\r\n])(["'\s]*)(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

/** The entries as CSV (RFC 4180), in UTF-8 with the mark that spreadsheets know it by. */
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
