import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, type Ref, useEffect, useRef } from "react";
import styles from "./page.module.css";

let titles = 0;

/** Sets the title of the browser tab, and moves the focus to the heading so that screen readers announce a new page. */
export function usePageTitle(title: string): Ref<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(`${title} · Gateway`);
  useEffect(() => {
    // The browser announces the first page.
    if (++titles > 1) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

/** A page of the dashboard: its section, title, lead, actions and content. */
export function Page(props: {
  title: string;
  section?: string | undefined;
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

/** A section of a page with a heading. */
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

/** An empty state: what is missing and what to do about it. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className={styles.empty}>
    <p className={styles.emptyTitle}>{title}</p>
    {children}
  </div>
);
