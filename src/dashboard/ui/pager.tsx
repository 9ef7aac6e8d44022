import { Button } from "@mantine/core";
import { formatCount, formatNumber } from "./format";
import type { ListAddress } from "./list-address";
import styles from "./table.module.css";

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

/** Number of items on all pages, exact up to a server limit. */
export interface Total {
  totalCount?: number;
  isTotalCountExact?: boolean;
}

/**
 * The position of the page in the list, and buttons to the previous and next page; nothing for a single page.
 * @param shown number of items on the page
 */
export function Pager(props: {
  address: ListAddress;
  pageInfo: PageInfo | undefined;
  shown?: number | undefined;
  pageSize?: number;
  total?: Total | undefined;
}) {
  const { address, pageInfo, shown, pageSize, total } = props;
  const next = pageInfo?.hasNextPage ? pageInfo.endCursor : null;
  if (address.after === null && next === null) return null;
  /** Goes to a page and scrolls to the top. */
  const turn = (go: () => void) => () => {
    go();
    window.scrollTo(0, 0);
  };
  return (
    <nav className={styles.pager} aria-label="Pages">
      {total?.totalCount !== undefined && (
        <p className={styles.position}>
          {positionOf({
            page: address.page,
            shown: shown ?? 0,
            pageSize: pageSize ?? 0,
            all: formatCount(total.totalCount, total.isTotalCountExact),
          })}
        </p>
      )}
      <Button variant="default" size="xs" disabled={address.after === null} onClick={turn(address.previous)}>
        Previous
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={turn(() => next && address.next(next))}
      >
        Next
      </Button>
    </nav>
  );
}

/** "21–40 of 520", or only the total if a link opened the middle of the list. */
function positionOf(props: {
  page: number | undefined;
  shown: number;
  pageSize: number;
  all: string;
}): string {
  const { page, shown, pageSize, all } = props;
  if (page === undefined || shown === 0 || pageSize === 0) return `${all} in total`;
  const first = page * pageSize + 1;
  return `${formatNumber(first)}–${formatNumber(first + shown - 1)} of ${all}`;
}
