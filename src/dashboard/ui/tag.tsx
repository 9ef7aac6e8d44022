import type { ReactNode } from "react";
import { showWhole } from "./name";
import styles from "./tag.module.css";

type Tone = "good" | "bad" | "warn" | "plain";

/** A state as a colored label on one line; the tooltip shows the full text if it is truncated. */
export const Tag = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only adds a tooltip
  <span className={styles.tag} data-tone={tone} onMouseEnter={showWhole}>
    {children}
  </span>
);

/** The appearance of a state. */
export interface Look {
  label: string;
  tone: Tone;
}

/** Returns the look of a state. Unknown states, stored by a newer version, are labeled with their names. */
export const lookOf = (looks: Readonly<Record<string, Look>>, state: string): Look =>
  looks[state] ?? { label: state, tone: "plain" };

export function StateTag({ of, state }: { of: Readonly<Record<string, Look>>; state: string }) {
  const { label, tone } = lookOf(of, state);
  return <Tag tone={tone}>{label}</Tag>;
}

export const Tags = ({ children }: { children: ReactNode }) => (
  <span className={styles.tags}>{children}</span>
);
