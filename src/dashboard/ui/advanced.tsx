import { type ReactNode, useState } from "react";
import styles from "./advanced.module.css";

/**
 * A form's optional fields, collapsed until opened.
 * @param hasErrors true if a field shows an error; the fields stay visible after the error is cleared
 */
export function Advanced({ hasErrors, children }: { hasErrors: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={styles.advanced}
      open={isOpen || hasErrors}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      // Opened immediately, because browsers reject a form without a message if they cannot focus the invalid field.
      onInvalidCapture={({ currentTarget }) => {
        currentTarget.open = true;
      }}
    >
      <summary>Advanced</summary>
      <div className={styles.fields}>{children}</div>
    </details>
  );
}
