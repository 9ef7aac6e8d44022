import type { TableColumnOptions } from "typeorm";

type Columns = TableColumnOptions[];

const all = (columns: readonly Columns[], more: Partial<TableColumnOptions>): Columns =>
  columns.flat().map((column) => ({ ...column, ...more }));

export const texts = (lengths: Record<string, number>): Columns =>
  Object.entries(lengths).map(([name, length]) => ({ name, type: "varchar", length: String(length) }));
export const ids = (...names: string[]) => names.flatMap((name) => texts({ [name]: 36 }));
export const moments = (...names: string[]) => names.flatMap((name) => texts({ [name]: 24 }));
export const typed = (type: string, ...names: string[]): Columns => names.map((name) => ({ name, type }));
export const integers = (...names: string[]) => typed("integer", ...names);
export const longTexts = (...names: string[]) => typed("text", ...names);

export const primary = (...columns: Columns[]) => all(columns, { isPrimary: true });
export const nullable = (...columns: Columns[]) => all(columns, { isNullable: true });
export const defaulting = (value: string, columns: Columns) => all([columns], { default: value });

export const references = (table: string) => ({
  columnNames: [`${table}_id`],
  referencedTableName: table,
  referencedColumnNames: ["id"],
});

export const index = (...columnNames: string[]) => ({ columnNames });
export const unique = (...columnNames: string[]) => ({ columnNames, isUnique: true });
