import type { MouseEvent, ReactNode } from "react";
import styles from "./name.module.css";

/** A name on at most two lines; the tooltip has the whole of a longer one. */
export const Name = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only adds a tooltip
  <bdi className={styles.name} onMouseEnter={showWhole}>
    {children}
  </bdi>
);

/** Gives an element a tooltip with the name that it is, or contains, if not all of that is visible. */
export function showWhole({ currentTarget: element }: MouseEvent<HTMLElement>) {
  const name = element.querySelector("bdi") ?? element;
  element.title = name.scrollHeight > name.clientHeight ? (name.textContent ?? "") : "";
}
