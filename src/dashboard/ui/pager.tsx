import { Button } from "@mantine/core";
import { formatCount, formatNumber } from "./format";
import { useListAddress } from "./list-address";
import styles from "./table.module.css";

/** A page of a list, as returned by the API. The count of items on all pages is exact up to a server limit. */
export interface Connection<Node> {
  nodes: readonly Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  totalCount?: number;
  isTotalCountExact?: boolean;
}

/**
 * The position of the page in the list, and buttons to the previous and next page; nothing for a single page.
 * @param stale true if a placeholder is shown while another page loads; its cursor must not be followed
 */
export function Pager(props: {
  connection: Connection<unknown> | undefined;
  stale: boolean;
  pageSize: number;
}) {
  const { after, page, next, previous } = useListAddress();
  const { nodes, pageInfo, totalCount, isTotalCountExact } = props.connection ?? {};
  const cursor = pageInfo?.hasNextPage ? pageInfo.endCursor : null;
  if (after === null && cursor === null) return null;
  /** Goes to a page and scrolls to the top. */
  const turn = (go: () => void) => () => {
    go();
    window.scrollTo(0, 0);
  };
  return (
    <nav className={styles.pager} aria-label="Pages">
      {totalCount !== undefined && (
        <p className={styles.position}>
          {positionOf(page, nodes?.length ?? 0, props.pageSize, formatCount(totalCount, isTotalCountExact))}
        </p>
      )}
      <Button variant="default" size="xs" disabled={after === null} onClick={turn(previous)}>
        Previous
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={cursor === null}
        // Not disabled while the next page loads, because a disabled button would lose the focus.
        onClick={turn(() => cursor && !props.stale && next(cursor))}
      >
        Next
      </Button>
    </nav>
  );
}

/** "21–40 of 520", or only the total if a link opened the middle of the list. */
function positionOf(page: number | undefined, shown: number, pageSize: number, all: string): string {
  if (page === undefined || shown === 0) return `${all} in total`;
  const first = page * pageSize + 1;
  return `${formatNumber(first)}–${formatNumber(first + shown - 1)} of ${all}`;
}
