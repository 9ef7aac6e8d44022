import type { MouseEvent, ReactNode } from "react";
import styles from "./table.module.css";

/**
 * Text in a row, such as a phone number, that can be selected and copied even though the row's link covers it. A
 * click still opens the row.
 */
export const Copyable = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: the row's link is focusable
  // biome-ignore lint/a11y/useKeyWithClickEvents: the row's link handles the keys
  <span className={styles.copyable} onClick={openRow}>
    {children}
  </span>
);

function openRow({ currentTarget }: MouseEvent<HTMLElement>): void {
  if (document.getSelection()?.isCollapsed === false) return;
  currentTarget.closest("tr")?.querySelector<HTMLElement>("a[data-row]")?.click();
}
