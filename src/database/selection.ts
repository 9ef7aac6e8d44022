/** A column of a query: its SQL expression, with its type where JSON encodes it in a special way. */
export type Column = string | { sql: string; type: "int64" | "text" };

/** What a query selects. */
export interface Selection<Row> {
  columns: readonly Column[];
  /** Returns the row with these values, which are in the order of `columns`; an int64 is decimal text. */
  row(values: readonly unknown[]): Row;
}

/** An int64, which JSON encodes as a number where a double holds it exactly. */
export const int64 = (sql: string): Column => ({ sql, type: "int64" });

/** A text that is mostly short and different in each row, which JSON encodes with a filler. */
export const text = (sql: string): Column => ({ sql, type: "text" });

export const sqlOf = (column: Column): string => (typeof column === "string" ? column : column.sql);

/**
 * V8 keeps each text of up to 10 characters that it parses from JSON in a table, where it takes longer to find or add one,
 * above all a number, than to parse the rest of a row.
 */
const FILLER = "..........";

/**
 * Returns the SQL of the values of a row in JSON, for `rowsOfJson` to decode.
 * @param alternatives returns SQL expressions of one type for an int64: its number and its text
 */
export const jsonValues = (
  { columns }: Selection<unknown>,
  alternatives: (sql: string) => { number: string; text: string },
): string[] =>
  columns.map((column) => {
    if (typeof column === "string") return column;
    const { sql, type } = column;
    if (type === "text") return `'${FILLER}' || ${sql}`;
    const { number, text } = alternatives(sql);
    return `CASE WHEN ${sql} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN ${number} ELSE ${text} END`;
  });

/** Returns the rows whose values `jsonValues` encoded, which it changes. */
export function rowsOfJson<Row>(selection: Selection<Row>, encoded: unknown[][]): Row[] {
  const { columns } = selection;
  return encoded.map((values) => {
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i];
      if (typeof column !== "object" || values[i] === null) continue;
      values[i] = column.type === "text" ? (values[i] as string).slice(FILLER.length) : String(values[i]);
    }
    return selection.row(values);
  });
}
