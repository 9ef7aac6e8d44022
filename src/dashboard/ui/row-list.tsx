import type { ReactNode } from "react";
import { Link } from "wouter";
import { showTooltipBelow } from "./name";
import styles from "./row-list.module.css";

/** An item of a short list. Empty details are omitted. */
export interface ListedRow {
  href: string;
  state: ReactNode;
  title: ReactNode;
  details?: readonly (string | null | undefined)[];
  time: ReactNode;
}

/** A short list of linked items, one line each, for cards that show the beginning of a list. */
export const RowList = ({ label, rows }: { label: string; rows: readonly ListedRow[] }) => (
  <ul className={styles.rows} aria-label={label}>
    {rows.map(({ href, state, title, details = [], time }) => (
      <li key={href}>
        <span>{state}</span>
        <p className={styles.text}>
          <Link href={href} onMouseMove={showTooltipBelow}>
            <bdi>{title}</bdi>
          </Link>
          {details.map(
            (part) =>
              part != null &&
              part !== "" && (
                <span key={part}>
                  {" "}
                  · <bdi>{part}</bdi>
                </span>
              ),
          )}
        </p>
        <span className={styles.time}>{time}</span>
      </li>
    ))}
  </ul>
);
