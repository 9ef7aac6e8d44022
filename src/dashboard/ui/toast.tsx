import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconX } from "@tabler/icons-react";
import { useEffect } from "react";
import { createStore } from "../store";
import { Icon } from "./icon";
import styles from "./toast.module.css";

/** How long a message is shown (ms). */
const TOAST_MS = 6_000;

/** Max messages shown together; new ones replace the oldest. */
const MAX_TOASTS = 3;

interface Toast {
  id: number;
  message: string;
  tone: "good" | "bad";
}

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Briefly announces a success or failure, on the screen and to screen readers. */
export function toast(message: string, tone: Toast["tone"] = "good"): void {
  lastId += 1;
  toasts.set([...toasts.get(), { id: lastId, message, tone }].slice(-MAX_TOASTS));
}

const dismiss = (id: number) => toasts.set(toasts.get().filter((shown) => shown.id !== id));

/** The messages. The live region exists before the first one, because screen readers would otherwise miss it. */
export const Toasts = () => (
  <div role="status" aria-live="polite" className={styles.toasts}>
    {toasts.use().map((shown) => (
      <Shown key={shown.id} {...shown} />
    ))}
  </div>
);

function Shown({ id, message, tone }: Toast) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <div className={styles.toast}>
      <Icon of={tone === "good" ? IconCheck : IconAlertTriangle} size={18} />
      <p className={styles.message}>{message}</p>
      <UnstyledButton className={styles.dismiss} aria-label="Dismiss" onClick={() => dismiss(id)}>
        <Icon of={IconX} size={16} />
      </UnstyledButton>
    </div>
  );
}
