/** A row of a table: column → what it says; null and undefined say `-`. */
export type Row = Readonly<Record<string, string | number | null | undefined>>;

/** Prints one JSON document on a line of its own, for programs. */
export const printJson = (value: unknown): void => print(JSON.stringify(value).replace(UNSAFE, escaped));

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

/** Prints lines of text; what could steer the terminal is shown as `?`. */
export const print = (text: string): void =>
  void process.stdout.write(`${text.replace(UNSAFE, (found) => (found === "\n" ? found : "?"))}\n`);

/** What moves a terminal's cursor or turns the direction of its text, and what shows as nothing. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** As JSON writes any character. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");

const cell = (value: string | number | null | undefined): string =>
  String(value ?? "-")
    .replace(/\n/g, "?")
    .replace(UNSAFE, "?");
