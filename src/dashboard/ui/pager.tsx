import { Button } from "@mantine/core";
import type { ListAddress } from "./list-address";
import styles from "./table.module.css";

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

/** Buttons to the newer and the older page; nothing for a single page. */
export function Pager({ address, pageInfo }: { address: ListAddress; pageInfo: PageInfo | undefined }) {
  const next = pageInfo?.hasNextPage ? pageInfo.endCursor : null;
  if (address.after === null && next === null) return null;
  /** Goes to a page and to its top. */
  const turn = (go: () => void) => () => {
    go();
    window.scrollTo(0, 0);
  };
  return (
    <nav className={styles.pager} aria-label="Pages">
      <Button variant="default" size="xs" disabled={address.after === null} onClick={turn(address.previous)}>
        Newer
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={turn(() => next && address.next(next))}
      >
        Older
      </Button>
    </nav>
  );
}
