import { useId } from "react";
import { Link, useLocation } from "wouter";
import { usePolledQuery } from "../api/client";
import { PAGES, type PageEntry } from "../pages";
import { useViewer } from "../session/session";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/icon";
import { ProposedCountDocument } from "./documents.generated";
import styles from "./shell.module.css";

/** Polling interval for the number of messages to review (ms). */
const COUNT_POLL_MS = 15_000;

/** Links to the pages that the member may see; grouped pages are listed under their heading. */
export function Nav() {
  const { may } = useViewer();
  const pages = PAGES.filter(({ icon, permission }) => icon !== undefined && may(permission));
  const groups = [...new Set(pages.flatMap(({ group }) => group ?? []))];
  return (
    <nav aria-label="Dashboard">
      <ul className={styles.links}>
        {pages.map((page) => page.group === undefined && <Item key={page.path} page={page} />)}
        {groups.map((group) => (
          <Group key={group} name={group} pages={pages.filter((page) => page.group === group)} />
        ))}
      </ul>
    </nav>
  );
}

function Group({ name, pages }: { name: string; pages: readonly PageEntry[] }) {
  const heading = useId();
  return (
    <li>
      <p id={heading} className={styles.group}>
        {name}
      </p>
      <ul className={styles.links} aria-labelledby={heading}>
        {pages.map((page) => (
          <Item key={page.path} page={page} />
        ))}
      </ul>
    </li>
  );
}

/** The number of messages to review; nothing if there are none. */
function Waiting() {
  const messages = usePolledQuery(ProposedCountDocument, {}, { pollMs: COUNT_POLL_MS }).data?.messages;
  if (!messages?.totalCount) return null;
  return <span className={styles.count}>{formatCount(messages.totalCount, messages.isTotalCountExact)}</span>;
}

function Item({ page: { path, title, icon, load } }: { page: PageEntry }) {
  const [at] = useLocation();
  // Pages below this one, such as a key's page, are not listed themselves.
  const isWithin = path !== "/" && at.startsWith(`${path}/`);
  return (
    <li>
      <Link
        href={path}
        className={styles.link}
        aria-current={at === path ? "page" : isWithin || undefined}
        onPointerEnter={load}
        onFocus={load}
      >
        {icon && <Icon of={icon} />}
        {title}
        {path === "/to-review" && <Waiting />}
      </Link>
    </li>
  );
}
