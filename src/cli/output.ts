import { reportAndExit } from "../exit";

/** The cells of a table row, by column; null and undefined are printed as `-`. */
export type Row = Readonly<Record<string, string | number | null | undefined>>;

/** Prints a value as one line of JSON. */
export const printJson = (value: unknown): void => print(JSON.stringify(value).replace(UNSAFE, escaped));

/** Prints a value as indented JSON, for people to read and edit. */
export const printIndentedJson = (value: unknown): void =>
  print(JSON.stringify(value, null, 2).replace(UNSAFE, (found) => (found === "\n" ? found : escaped(found))));

/** Prints rows as a text table with the columns of the first row. */
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

/** Prints a record with one name and value per line. */
export function printRecord(record: Row): void {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) print(`${name.padEnd(width)}  ${cell(value)}`);
}

/** Prints text, sanitized by `printable`. */
export const print = (text: string): void => void process.stdout.write(`${printable(text)}\n`);

/** Replaces characters that could control the terminal with `?`, except line breaks. */
export const printable = (text: string): string =>
  text.replace(UNSAFE, (found) => (found === "\n" ? found : "?"));

/** Makes the process exit quietly when the reader closes the pipe, as in `keys list | head -1`. */
export const exitOnClosedPipe = (): void => void process.stdout.on("error", onOutputError);

/** Undoes `exitOnClosedPipe` for commands that print little and keep running. */
export const stopExitingOnClosedPipe = (): void => void process.stdout.off("error", onOutputError);

function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  reportAndExit(new Error(`cannot write to standard output (${error.message})`));
}

/** Control, format and separator characters: they move the cursor, change the text direction or are invisible. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Writes a character as JSON `\uXXXX` escapes. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");

const cell = (value: string | number | null | undefined): string =>
  String(value ?? "-")
    .replace(/\n/g, "?")
    .replace(UNSAFE, "?");
