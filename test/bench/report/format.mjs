const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Formats a number without decimals but with thousands separators; a dash if there is none. */
export const whole = (value) => (value === undefined ? "–" : grouped.format(value));

/** Formats milliseconds with three significant digits. */
export const threeDigits = (value) =>
  value === undefined ? "–" : value >= 100 ? whole(value) : value.toPrecision(3);

/** Formats a multiple of the product's value. */
export const times = (ratio) => (ratio === undefined ? "–" : `${ratio.toFixed(2)}×`);

/** Mark ratios whose spread exceeds this fraction of their median. */
const MAX_SPREAD = 0.15;
const MARK = "†";

/** The explanation of the mark. */
export const MARK_MEANS = `${MARK} marks a spread above ${MAX_SPREAD * 100}%.`;

const relativeSpread = ({ ratio, spread }, measure) => {
  const [lowest, highest] = spread?.[measure] ?? [];
  return lowest === undefined ? undefined : (highest - lowest) / ratio[measure];
};

/** Returns the mark for a result whose ratios differ too much; empty for others. */
export const mark = (result, measure) => (relativeSpread(result, measure) > MAX_SPREAD ? MARK : "");

/** Returns the lowest and highest ratio of a measure, and their spread; empty for the reference. */
export function spreadText(result, measure) {
  const relative = relativeSpread(result, measure);
  if (relative === undefined) return "";
  const [lowest, highest] = result.spread[measure].map((ratio) => ratio.toFixed(2));
  return `${lowest} to ${highest}, ${whole(relative * 100)}%${mark(result, measure)}`;
}

/**
 * Returns the lines of a Markdown table.
 * @param rows the first row is the head; all columns but the first contain numbers
 */
export function markdownTable([head, ...rows]) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)];
}

/** Returns the lines of a table for a terminal. */
export function plainTable(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  "),
  );
}
