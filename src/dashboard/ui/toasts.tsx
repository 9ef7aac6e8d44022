import { CloseButton } from "@mantine/core";
import { useEffect, useSyncExternalStore } from "react";
import { Icon } from "./icon";
import styles from "./toasts.module.css";

/** How long a message stays (ms). */
const STAY_MS = 6_000;

interface Toast {
  id: number;
  text: string;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function put(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Tells that something was done, for a while, on the screen and to screen readers. */
export const toast = (text: string): void => put([...toasts.slice(-2), { id: ++lastId, text }]);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The place of the messages. It is there before the first of them, or screen readers would not notice. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={styles.place} role="status" aria-live="polite">
      {shown.map((one) => (
        <Message key={one.id} {...one} />
      ))}
    </div>
  );
}

function Message({ id, text }: Toast) {
  const close = () => put(toasts.filter((other) => other.id !== id));
  useEffect(() => {
    const timer = setTimeout(() => put(toasts.filter((other) => other.id !== id)), STAY_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <div className={styles.toast}>
      <Icon name="check" />
      <span>{text}</span>
      <CloseButton size="sm" aria-label="Dismiss" onClick={close} />
    </div>
  );
}
