import type { ReactNode } from "react";
import styles from "./beside.module.css";

/** The main part of a page with cards next to it, or below it in narrow windows. */
export const Beside = ({ aside, children }: { aside: ReactNode; children: ReactNode }) => (
  <div className={styles.columns}>
    <div className={styles.main}>{children}</div>
    <div className={styles.aside}>{aside}</div>
  </div>
);
