import { parse } from "lossless-json";

/** A column of a query: its SQL expression, and its type if JSON needs a special encoding. */
export type Column = string | { sql: string; type: "int64" | "text" };

/** The columns that a query selects, and the rows built from them. */
export interface Selection<Row> {
  columns: readonly Column[];
  /**
   * Returns the row with these values, in the order of `columns`; an int64 is decimal text. Must not retain the array.
   */
  row(values: readonly unknown[]): Row;
}

/** Selects an int64, which JSON encodes as a number if a double holds it exactly. */
export const int64 = (sql: string): Column => ({ sql, type: "int64" });

/** Selects a string that is usually short and differs in each row; in JSON, it is padded with a filler. */
export const text = (sql: string): Column => ({ sql, type: "text" });

export const sqlOf = (column: Column): string => (typeof column === "string" ? column : column.sql);

/** V8 interns strings of up to 10 characters when it parses JSON, which takes longer than the rest of a row. */
const FILLER = "..........";

/** Returns the SQL of the columns in the JSON encoding that `rowOfJson` and `rowsOfJsonColumns` decode. */
export const jsonColumns = ({ columns }: Selection<unknown>): string[] =>
  columns.map((column) =>
    typeof column === "object" && column.type === "text" ? `'${FILLER}' || ${column.sql}` : sqlOf(column),
  );

const INEXACT = new Error("A number cannot be represented exactly.");

/** Parses a number; an integer that a double cannot hold exactly is returned as its digits. */
const exactNumber = (digits: string): number | string => {
  const number = Number(digits);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : digits;
};

/**
 * Decodes JSON that contains the values of `jsonColumns`. If `JSON.parse` rounds an int64, reparses the text
 * with an exact parser that takes four times as long.
 * @param decode passes the values to `rowOfJson` or `rowsOfJsonColumns`
 */
export function decodeJson<T>(text: string, decode: (parsed: unknown) => T): T {
  try {
    return decode(JSON.parse(text));
  } catch (error) {
    if (error !== INEXACT) throw error;
    return decode(parse(text, undefined, exactNumber));
  }
}

/** Returns the row with these values; modifies the array. */
export function rowOfJson<Row>(selection: Selection<Row>, values: unknown[]): Row {
  for (let i = 0; i < values.length; i++) values[i] = decoded(selection.columns[i], values[i]);
  return selection.row(values);
}

/**
 * Returns the rows whose values are listed by column. If there are more rows than columns, an array per column is
 * faster to encode and decode than an array per row; PostgreSQL takes a third less time.
 * @param columns each is null if there are no rows
 * @param limit max rows
 */
export function rowsOfJsonColumns<Row>(
  selection: Selection<Row>,
  columns: readonly (readonly unknown[] | null)[],
  limit = Number.POSITIVE_INFINITY,
): Row[] {
  const rows: Row[] = [];
  const values: unknown[] = [];
  const length = Math.min(columns[0]?.length ?? 0, limit);
  for (let i = 0; i < length; i++) {
    for (let j = 0; j < columns.length; j++) values[j] = columns[j]?.[i];
    rows.push(rowOfJson(selection, values));
  }
  return rows;
}

function decoded(column: Column | undefined, value: unknown): unknown {
  if (typeof column !== "object" || value === null) return value;
  if (column.type === "text") return (value as string).slice(FILLER.length);
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw INEXACT;
  return String(value);
}
