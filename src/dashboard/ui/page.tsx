import { type ReactNode, type Ref, useEffect, useRef } from "react";
import styles from "./page.module.css";

let titles = 0;

/** Names the browser's tab, and has the heading read out when another page comes in place of one. */
export function usePageTitle(title: string): Ref<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gateway`;
  }, [title]);
  useEffect(() => {
    // The first page is the browser's to announce.
    if (++titles > 1) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

/** A page of the dashboard: where it is, what it is, what can be done there, and the content. */
export function Page(props: {
  title: string;
  section?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = usePageTitle(props.title);
  return (
    <>
      <header className={styles.header}>
        <div>
          {props.section !== undefined && <p className={styles.section}>{props.section}</p>}
          <h1 ref={heading} tabIndex={-1} className={styles.title}>
            {props.title}
          </h1>
          {props.lead !== undefined && <p className={styles.lead}>{props.lead}</p>}
        </div>
        {props.actions !== undefined && <div className={styles.actions}>{props.actions}</div>}
      </header>
      {props.children}
    </>
  );
}

/** A part of a page with a heading of its own. */
export function Card({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.card} aria-label={title}>
      <header className={styles.cardHeader}>
        <h2 className={styles.cardTitle}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** What to do where there is nothing yet. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className={styles.empty}>
    <p className={styles.emptyTitle}>{title}</p>
    {children}
  </div>
);
