const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A number without decimals, thousands set apart; a dash for none. */
export const whole = (value) => (value === undefined ? "–" : grouped.format(value));

/** Milliseconds in three digits. */
export const threeDigits = (value) =>
  value === undefined ? "–" : value >= 100 ? whole(value) : value.toPrecision(3);

/** How many times the product's. */
export const times = (ratio) => (ratio === undefined ? "–" : `${ratio.toFixed(2)}×`);

/** Ratios whose spread is above this part of their median are marked. */
const MAX_SPREAD = 0.15;
const MARK = "†";

/** What readers of marked ratios must know. */
export const MARK_MEANS = `${MARK} marks a spread above ${MAX_SPREAD * 100} %.`;

const relativeSpread = ({ ratio, spread }, measure) => {
  const [lowest, highest] = spread?.[measure] ?? [];
  return lowest === undefined ? undefined : (highest - lowest) / ratio[measure];
};

/** The mark of a result whose ratios differ too much, otherwise nothing. */
export const mark = (result, measure) => (relativeSpread(result, measure) > MAX_SPREAD ? MARK : "");

/** A measure's ratios from the lowest to the highest, and how far apart they are; nothing for the reference. */
export function spreadText(result, measure) {
  const relative = relativeSpread(result, measure);
  if (relative === undefined) return "";
  const [lowest, highest] = result.spread[measure].map((ratio) => ratio.toFixed(2));
  return `${lowest} to ${highest}, ${whole(relative * 100)} %${mark(result, measure)}`;
}

/**
 * Lines of a Markdown table.
 * @param rows the first is the head; all but their first column are numbers
 */
export function markdownTable([head, ...rows]) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)];
}

/** The same for a terminal. */
export function plainTable(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  "),
  );
}
