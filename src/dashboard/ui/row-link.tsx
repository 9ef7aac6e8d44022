import type { ReactNode } from "react";
import { Link } from "wouter";
import { Name, showTooltipBelow } from "./name";
import styles from "./table.module.css";

/** The link in a row's first cell; it covers the whole row except its controls. */
export const RowLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} data-row="" className={styles.rowLink} onMouseMove={showTooltipBelow}>
    <Name>{children}</Name>
  </Link>
);
