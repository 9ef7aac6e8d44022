import type { ReactNode } from "react";
import { showWhole } from "./name";
import styles from "./tag.module.css";

/** A state as a colored label on one line; the tooltip shows the full text if it is truncated. */
export const Tag = ({ tone, children }: { tone: "good" | "bad" | "warn" | "plain"; children: ReactNode }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only adds a tooltip
  <span className={styles.tag} data-tone={tone} onMouseEnter={showWhole}>
    {children}
  </span>
);

/** Several tags, wrapped. */
export const Tags = ({ children }: { children: ReactNode }) => (
  <span className={styles.tags}>{children}</span>
);
