import { INVISIBLE } from "../common/invisible";

/** The option `--json`. */
export interface Json {
  json?: boolean;
}

/** An API record, or the cells of a table row by column. */
export type Row = Readonly<Record<string, unknown>>;

/** The text of an empty cell, by column; other columns show `-`. */
const WITHOUT_VALUE: Readonly<Record<string, string>> = {
  agentId: "(all)",
  allowedNetworks: "(any)",
  permissions: "(none)",
  scopes: "(all)",
  types: "(all)",
};

/** Properties whose enum values contain `_` in GraphQL, with the punctuation that all other APIs use instead. */
const PUNCTUATION: Readonly<Record<string, string>> = {
  permissions: ":",
  scopes: ":",
  type: ".",
  types: ".",
};

/** Matches an enum value up to the underscore that stands for punctuation: `pets_` in `pets_read`. */
const FIRST_PART = /^(api_key|[^_]+)_/;

/** Converts names such as `pets:read` to enum values of the API. */
export const enumNames = (names: readonly string[]): string[] =>
  names.map((name) => name.replace(/\W/g, "_"));

/** Converts the enum values in a message about a property, such as "must be one of pets_read", to plain names. */
export function punctuated(property: string, message: string): string {
  const punctuation = PUNCTUATION[property];
  if (punctuation === undefined || !message.startsWith("must be one of ")) return message;
  return message.replace(/\b(api_key|[a-z]+)_(?=\w)/g, `$1${punctuation}`);
}

/** Converts an API object for printing: agents and organizations become slugs, and enum values plain names. */
export function recordOf(object: object): Row {
  const shown = (name: string, value: unknown): unknown => {
    // An organization key has no agent, and a leaked key has only the name of its agent.
    if (name === "agent" || name === "organization")
      return typeof value === "string" ? value : ((value as { slug: string } | null)?.slug ?? null);
    const punctuation = PUNCTUATION[name];
    if (punctuation === undefined || value === null) return value;
    const spelled = (each: string) => each.replace(FIRST_PART, `$1${punctuation}`);
    return Array.isArray(value) ? value.map(spelled) : spelled(String(value));
  };
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, shown(name, value)]));
}

/** Returns the selected fields of a row that was not read through GraphQL. */
export const fieldsOf = (row: object, selection: string): object =>
  Object.fromEntries(
    selection
      .replace(/ \{.*?\}/g, "")
      .split(" ")
      .map((name) => [name, row[name as keyof typeof row]]),
  );

/** Formats a count with its noun, such as `1 key` or `2 keys`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Prints a value as JSON, or a confirmation for people. */
export function printResult(json: boolean | undefined, value: unknown, text: string): void {
  if (json) printJson(value);
  else print(text);
}

/** Prints a value as one line of JSON. */
export const printJson = (value: unknown): void => print(jsonOf(value));

/** Prints an array as one line of JSON, item by item, because the line may be longer than the longest string. */
function printJsonArray(items: readonly unknown[]): void {
  items.forEach((item, i) => void process.stdout.write(`${i === 0 ? "[" : ","}${jsonOf(item)}`));
  print(items.length === 0 ? "[]" : "]");
}

const jsonOf = (value: unknown): string => JSON.stringify(value).replace(INVISIBLE, escaped);

/** Prints a value as indented JSON, for people to read and edit. */
export const printIndentedJson = (value: unknown): void =>
  print(
    JSON.stringify(value, null, 2).replace(INVISIBLE, (found) => (found === "\n" ? found : escaped(found))),
  );

/** Prints a result with a new signing secret, if there is one. */
export function printWithSecret(
  json: boolean | undefined,
  value: object,
  signingSecret: string | null,
  done: string,
): void {
  const secret =
    signingSecret === null
      ? ""
      : `\nSigning secret: ${signingSecret}\nThe signing secret will not be shown again.`;
  printResult(json, { ...value, signingSecret }, `${done}${secret}`);
}

/** Prints the result of a test; the exit code is 1 if the test failed. */
export function printTest(
  json: boolean | undefined,
  test: { outcome: string; code: string | null; detail: string },
): void {
  const { outcome, code, detail } = test;
  printResult(json, test, code === null ? detail : `${detail} (${outcome}, ${code})`);
  if (outcome !== "accepted") process.exitCode = 1;
}

/** Prints API objects as JSON, or as a table with `columns`; `reason=disabledReason` renames a column. */
export function printRows<T extends object>(
  json: boolean | undefined,
  found: readonly T[],
  columns: string,
  whenEmpty: string,
  toRow: (each: T) => object = (each) => each,
): void {
  if (json) printJsonArray(found.map(recordOf));
  else if (found.length === 0) print(whenEmpty);
  else
    printTable(
      found.map((each) => recordOf(toRow(each))),
      columns.split(" "),
    );
}

function printTable(rows: readonly Row[], columns: readonly string[]): void {
  const names = columns.map((column) => column.replace(/=.*/, ""));
  const members = columns.map((column) => column.replace(/.*=/, ""));
  const cells = [names.map(heading), ...rows.map((row) => members.map((name) => cell(name, row[name])))];
  const widths = columns.map((_, i) =>
    cells.reduce((width, line) => Math.max(width, line[i]?.length ?? 0), 0),
  );
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

/** Prints a record as JSON or, for people, with one name and value per line and then a note. */
export function printRecord(json: boolean | undefined, record: Row, note?: string): void {
  if (json) {
    printJson(record);
    return;
  }
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) print(`${name.padEnd(width)}  ${cell(name, value)}`);
  if (note !== undefined) print(`\n${note}`);
}

/** Prints text, sanitized by `printable`. */
export const print = (text: string): void => void process.stdout.write(`${printable(text)}\n`);

/** Replaces characters that could control the terminal, except line breaks, with `?`. */
export const printable = (text: string): string =>
  text.replace(INVISIBLE, (found) => (found === "\n" ? found : "?"));

/** Writes a character as JSON `\uXXXX` escapes. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");

function cell(column: string, value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  return text === "" ? (WITHOUT_VALUE[column] ?? "-") : text.replace(/\n/g, "?").replace(INVISIBLE, "?");
}
