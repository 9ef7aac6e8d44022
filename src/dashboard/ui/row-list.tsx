import type { ReactNode } from "react";
import { Link } from "wouter";
import { showTooltipBelow } from "./name";
import styles from "./row-list.module.css";

/** A short list of linked items, for cards that show the beginning of a list. */
export const RowList = (props: {
  label: string;
  rows: readonly { href: string; title: ReactNode; state: ReactNode; time: ReactNode }[];
}) => (
  <ul className={styles.rows} aria-label={props.label}>
    {props.rows.map(({ href, title, state, time }) => (
      <li key={href}>
        <Link href={href} onMouseMove={showTooltipBelow}>
          {title}
        </Link>
        {state}
        <span className={styles.time}>{time}</span>
      </li>
    ))}
  </ul>
);
