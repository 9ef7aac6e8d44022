import { Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, type Ref, useEffect, useRef } from "react";
import { createStore } from "../store";
import styles from "./page.module.css";

/** The path of the first page; undefined once that page is shown. */
let firstPath: string | undefined = location.pathname;

/** True after the browser went back or forward; the browser then restores the scroll position itself. */
let wentBack = false;
window.addEventListener("popstate", () => {
  wentBack = true;
});

/** The number of conversations that need a reply, shown before the title of the browser tab; "" if there are none. */
export const titleCount = createStore("");

function useTabTitle(title: string): void {
  const count = titleCount.use();
  useDocumentTitle(`${count && `(${count}) `}${title} · Gateway`);
}

/** Sets the title of the browser tab, and moves the focus to the heading so that screen readers announce a new page. */
export function usePageTitle(title: string): Ref<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  useTabTitle(title);
  useEffect(() => {
    // The browser announces the first page itself, unless the URL changed before that page was shown. An open
    // dialog keeps the focus.
    const isBehind = document.querySelector("[role=dialog]") !== null;
    if (firstPath !== location.pathname) {
      if (!isBehind) heading.current?.focus({ preventScroll: true });
      if (!wentBack) window.scrollTo(0, 0);
    }
    firstPath = undefined;
    wentBack = false;
  }, []);
  return heading;
}

/**
 * A page of the dashboard: its section, title, actions and content.
 * @param lead explains the page; phones omit it, because it pushes the content down
 * @param summary what the page shows, in a sentence
 */
export function Page(props: {
  title: string;
  section?: ReactNode;
  lead?: ReactNode;
  summary?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = usePageTitle(props.title);
  return (
    <>
      <header className={styles.header}>
        <div>
          {props.section !== undefined && <p className={styles.section}>{props.section}</p>}
          <h1 ref={heading} tabIndex={-1} className={styles.title} title={props.title} dir="auto">
            {props.title}
          </h1>
          {props.lead !== undefined && <p className={`${styles.lead} ${styles.wide}`}>{props.lead}</p>}
          {props.summary !== undefined && <p className={styles.lead}>{props.summary}</p>}
        </div>
        {props.actions !== undefined && <div className={styles.actions}>{props.actions}</div>}
      </header>
      {props.children}
    </>
  );
}

/** A page whose code or first data is loading. */
export function LoadingPage(props: { title: string; section?: ReactNode; lead?: ReactNode }) {
  useTabTitle(props.title);
  return (
    <div aria-busy="true">
      <header className={styles.header}>
        <div>
          {props.section !== undefined && <p className={styles.section}>{props.section}</p>}
          <h1 className={styles.title} dir="auto">
            {props.title}
          </h1>
          {props.lead !== undefined && <p className={`${styles.lead} ${styles.wide}`}>{props.lead}</p>}
        </div>
      </header>
      <Placeholder />
    </div>
  );
}

export const Placeholder = () => <Skeleton height={260} radius="lg" />;

/** A page section with a heading; links can target it by its ID. */
export function Card(props: { title: string; aside?: ReactNode; id?: string; children: ReactNode }) {
  const { title, aside, id, children } = props;
  return (
    <section className={styles.card} aria-label={title} id={id}>
      <header className={styles.cardHeader}>
        <h2 className={styles.cardTitle} dir="auto">
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** An empty state: what is missing, and how to add it. */
export const Empty = ({ title, children }: { title: ReactNode; children?: ReactNode }) => (
  <div className={styles.empty}>
    <p className={styles.emptyTitle}>{title}</p>
    {children}
  </div>
);
