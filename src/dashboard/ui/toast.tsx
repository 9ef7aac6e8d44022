import { Button, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconX } from "@tabler/icons-react";
import { useEffect } from "react";
import { createStore } from "../store";
import { Icon } from "./icon";
import styles from "./toast.module.css";

/** How long a message is shown (ms). */
const TOAST_MS = 6_000;
/** How long a message with a button is shown (ms). */
const ACTION_MS = 15_000;

/** Max messages shown together; new ones replace the oldest. */
const MAX_TOASTS = 3;

/** A button in a message. */
interface ToastAction {
  label: string;
  run: () => void;
}

interface Toast {
  id: number;
  message: string;
  tone: "good" | "bad";
  action: ToastAction | undefined;
}

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Briefly announces a success or failure, on the screen and to screen readers. */
export function toast(message: string, tone: Toast["tone"] = "good", action?: ToastAction): void {
  lastId += 1;
  toasts.set([...toasts.get(), { id: lastId, message, tone, action }].slice(-MAX_TOASTS));
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

function Shown({ id, message, tone, action }: Toast) {
  const shownMs = action === undefined ? TOAST_MS : ACTION_MS;
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, shownMs]);
  return (
    <div className={styles.toast}>
      <Icon of={tone === "good" ? IconCheck : IconAlertTriangle} size={18} />
      <p className={styles.message}>
        {message}
        {action !== undefined && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              dismiss(id);
              action.run();
            }}
          >
            {action.label}
          </Button>
        )}
      </p>
      <UnstyledButton className={styles.dismiss} aria-label="Dismiss" onClick={() => dismiss(id)}>
        <Icon of={IconX} size={16} />
      </UnstyledButton>
    </div>
  );
}
