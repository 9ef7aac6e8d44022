import type { ReactNode } from "react";
import styles from "./tag.module.css";

/** A state as a colored label. */
export const Tag = ({ tone, children }: { tone: "good" | "bad" | "warn" | "plain"; children: ReactNode }) => (
  <span className={styles.tag} data-tone={tone}>
    {children}
  </span>
);

/** Several tags, which wrap. */
export const Tags = ({ children }: { children: ReactNode }) => (
  <span className={styles.tags}>{children}</span>
);
