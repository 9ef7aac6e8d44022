// biome-ignore-all lint/a11y/noRedundantRoles: on phones the CSS shows tables as cards, which removes their implicit roles

import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Name } from "./name";
import styles from "./table.module.css";

/** A table column. Hidden headings are for screen readers only. */
export interface Column {
  heading: string;
  hidden?: boolean;
  /** True if its cells are numbers, to right-align them. */
  isNumeric?: boolean;
}

/** The column of the rows' menus or buttons. */
export const ACTIONS: Column = { heading: "Actions", hidden: true };

/** Returns the columns of a table; a string is a column with that heading. */
export const columnsOf = (...columns: readonly (string | Column)[]): readonly Column[] =>
  columns.map((column) => (typeof column === "string" ? { heading: column } : column));

/**
 * A table with a row for each item, shown as cards on phones.
 * @param stale true if it still shows the items of the previous filter
 * @param isLoading true to show placeholders of the usual height
 * @param cells one per column
 */
export function DataTable<Item extends { id: string }>(props: {
  label: string;
  columns: readonly Column[];
  stale?: boolean;
  isLoading?: boolean;
  rows: readonly Item[];
  cells: (item: Item) => readonly ReactNode[];
}) {
  const { columns } = props;
  return (
    <table className={styles.table} role="table" aria-label={props.label} data-stale={props.stale}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ heading, hidden, isNumeric }) => (
            <th key={heading} role="columnheader" scope="col" data-numeric={isNumeric}>
              <span className={hidden ? "visually-hidden" : undefined}>{heading}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {props.isLoading && <LoadingRows columns={columns} />}
        {props.rows.map((item) => (
          <Row key={item.id} columns={columns} cells={props.cells(item)} />
        ))}
      </tbody>
    </table>
  );
}

/** A row of cells, each with its column heading for the cards on phones. */
function Row({ cells, columns }: { cells: readonly ReactNode[]; columns: readonly Column[] }) {
  return (
    <tr role="row">
      {columns.map(({ heading, hidden, isNumeric }, i) => (
        <td key={heading} role="cell" data-heading={hidden ? undefined : heading} data-numeric={isNumeric}>
          <div className={styles.cell}>
            {typeof cells[i] === "string" ? <Name>{cells[i]}</Name> : cells[i]}
          </div>
        </td>
      ))}
    </tr>
  );
}

const LoadingRows = ({ columns }: { columns: readonly Column[] }) =>
  Array.from({ length: 6 }, (_, i) => (
    <Row
      // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
      key={i}
      columns={columns}
      cells={columns.map(({ heading }) => <Skeleton key={heading} height={14} my={14} width="70%" />)}
    />
  ));
