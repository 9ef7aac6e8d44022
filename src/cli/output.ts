/** A row of a table: column → what it says; null and undefined say `-`. */
export type Row = Readonly<Record<string, string | number | null | undefined>>;

/** Prints one JSON document on a line of its own, for programs. */
export const printJson = (value: unknown): void => print(JSON.stringify(value));

/** Prints rows as a table for people; the columns are those of the first row. */
export function printTable(rows: readonly Row[], whenEmpty: string): void {
  const [first] = rows;
  if (first === undefined) {
    print(whenEmpty);
    return;
  }
  const columns = Object.keys(first);
  const cells = [columns.map(heading), ...rows.map((row) => columns.map((c) => cell(row[c])))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  for (const line of cells)
    print(
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** `createdAt` → `CREATED AT` */
const heading = (column: string) => column.replace(/[A-Z]/g, " $&").toUpperCase();

/** Prints what was made as `name: value` lines, for people. */
export function printRecord(record: Row): void {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) print(`${name.padEnd(width)}  ${cell(value)}`);
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not move the terminal's cursor
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

const cell = (value: string | number | null | undefined): string =>
  String(value ?? "-").replace(CONTROL, "?");
