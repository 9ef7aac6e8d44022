import type { ReactNode } from "react";
import { Link } from "wouter";
import { Name, showTooltipBelow } from "./name";
import styles from "./table.module.css";

/** The link of a row's first cell, which opens from anywhere in the row that is not a control. */
export const RowLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} className={styles.rowLink} onMouseMove={showTooltipBelow}>
    <Name>{children}</Name>
  </Link>
);
