// biome-ignore-all lint/a11y/noRedundantRoles: a phone shows tables as lists, which takes their roles away
import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./table.module.css";

/** The columns by their headings; one that needs no words for the eye is hidden from it. */
export interface Column {
  heading: string;
  hidden?: boolean;
}

/**
 * A table, of which a phone makes a list of cards.
 * @param stale whether it shows an answer to an older question
 */
export function DataTable(props: {
  label: string;
  columns: readonly Column[];
  stale?: boolean;
  children: ReactNode;
}) {
  return (
    <table className={styles.table} role="table" aria-label={props.label} data-stale={props.stale}>
      <thead role="rowgroup">
        <tr role="row">
          {props.columns.map(({ heading, hidden }) => (
            <th key={heading} role="columnheader" scope="col">
              <span className={hidden ? "visually-hidden" : undefined}>{heading}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{props.children}</tbody>
    </table>
  );
}

/** A row of cells; each knows its column's heading, which stands before it on a phone. */
export function Row({ cells, columns }: { cells: readonly ReactNode[]; columns: readonly Column[] }) {
  return (
    <tr role="row">
      {columns.map(({ heading, hidden }, i) => (
        <td key={heading} role="cell" data-heading={hidden ? undefined : heading}>
          <div className={styles.cell}>{cells[i]}</div>
        </td>
      ))}
    </tr>
  );
}

/** As many rows as are likely to come, each of two lines. */
export const LoadingRows = (props: { columns: readonly Column[]; count: number }) =>
  Array.from({ length: props.count }, (_, i) => (
    <Row
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
      key={i}
      columns={props.columns}
      cells={props.columns.map(({ heading }) => <Skeleton key={heading} height={14} my={14} width="70%" />)}
    />
  ));
