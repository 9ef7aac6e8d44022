import { useEffect, useId } from "react";
import { Link, useLocation } from "wouter";
import { usePolledQuery } from "../api/client";
import { PAGES, type PageEntry } from "../pages";
import { useViewer } from "../session/session";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/icon";
import { titleCount } from "../ui/page";
import { CountsDocument, type CountsQuery } from "./documents.generated";
import styles from "./shell.module.css";

/** The counts next to page links, by path. */
const COUNTS: Readonly<Record<string, keyof CountsQuery>> = {
  "/conversations": "waiting",
  "/to-review": "proposed",
};

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

/** The number of items that need attention; nothing if there are none. */
function Waiting({ of }: { of: keyof CountsQuery }) {
  const isInTitle = of === "waiting";
  const { data } = usePolledQuery(CountsDocument, {}, { pollMs: 15_000, inBackground: isInTitle });
  const list = data?.[of];
  const text = list?.totalCount ? formatCount(list.totalCount, list.isTotalCountExact) : "";
  useEffect(() => {
    if (!isInTitle) return;
    titleCount.set(text);
    return () => titleCount.set("");
  }, [isInTitle, text]);
  return text === "" ? null : <span className={styles.count}>{text}</span>;
}

function Item({ page: { path, title, icon, load } }: { page: PageEntry }) {
  const [at] = useLocation();
  // Pages below this one, such as a key's page, have no link of their own.
  const isWithin = path !== "/" && at.startsWith(`${path}/`);
  const count = COUNTS[path];
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
        {count && <Waiting of={count} />}
      </Link>
    </li>
  );
}
