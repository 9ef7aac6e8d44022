const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A number without decimals, thousands set apart; a dash for none. */
export const whole = (value) => (value === undefined ? "–" : grouped.format(value));

/** Milliseconds in three digits. */
export const threeDigits = (value) =>
  value === undefined ? "–" : value >= 100 ? whole(value) : value.toPrecision(3);

/** How many times the product's. */
export const times = (ratio) => (ratio === undefined ? "–" : `${ratio.toFixed(2)}×`);

/** Lines of a Markdown table. @param rows the first is the head; all but their first column are numbers */
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
