import type { ReactNode } from "react";
import styles from "./tag.module.css";

/** A word that tells a state, in a tone that tells the same to the eye. */
export const Tag = ({ tone, children }: { tone: "good" | "bad" | "warn" | "plain"; children: ReactNode }) => (
  <span className={styles.tag} data-tone={tone}>
    {children}
  </span>
);
