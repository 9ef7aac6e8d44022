import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure";
import { useCursorFallback, useListAddress } from "./list-address";
import { Empty } from "./page";
import { type Connection, Pager } from "./pager";
import { type Column, DataTable } from "./table";

/** Usual number of items per page. */
export const PAGE_SIZE = 20;

/** Returns an unpaginated list as a single page. */
export const onePage = <Node,>(nodes: readonly Node[] | undefined): Connection<Node> | undefined =>
  nodes && { nodes, pageInfo: { hasNextPage: false, endCursor: null } };

/**
 * A page of a list as a table, including its loading, empty and error states.
 * @param label the name of the items, in the plural ("API keys")
 * @param connection a page of at most `PAGE_SIZE` items, or the result of `onePage`
 * @param filters the names of the filters in the URL
 * @param empty shown for an empty list without filters
 * @param cells one per column
 */
export function List<Node extends { id: string }>(props: {
  label: string;
  columns: readonly Column[];
  query: Pick<UseQueryResult, "error" | "refetch" | "isPlaceholderData">;
  connection: Connection<Node> | undefined;
  filters?: readonly string[];
  empty: ReactNode;
  cells: (node: Node) => readonly ReactNode[];
}) {
  const { label, columns, connection, filters = [] } = props;
  const address = useListAddress();
  const { error, refetch, isPlaceholderData } = props.query;
  useCursorFallback(props.query, connection?.nodes.length);

  if (error !== null && (connection === undefined || isPlaceholderData)) {
    return <Failure error={error} retry={refetch} />;
  }
  const isEmpty = connection?.nodes.length === 0;
  if (isEmpty && filters.some((name) => address.get(name) !== "")) {
    return (
      <Empty title={`No matching ${label.charAt(0) === "A" ? label : label.toLowerCase()}`}>
        <Button
          variant="default"
          size="xs"
          onClick={() => address.filter(Object.fromEntries(filters.map((name) => [name, ""])))}
        >
          Clear filters
        </Button>
      </Empty>
    );
  }
  // A placeholder is the result for the previous filters or page, so it does not show that this list is empty.
  if (isEmpty && !isPlaceholderData) return props.empty;
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        stale={isPlaceholderData}
        isLoading={!connection?.nodes.length}
        rows={connection?.nodes ?? []}
        cells={props.cells}
      />
      <Pager connection={connection} stale={isPlaceholderData} pageSize={PAGE_SIZE} />
    </>
  );
}
