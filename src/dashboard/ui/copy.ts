import { useCallback, useEffect, useState } from "react";

/** How long a button shows the outcome (ms). */
const FEEDBACK_MS = 2_500;

/**
 * Writes text to the clipboard.
 * @returns true if it succeeded
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * Copies text through a selected text area. On plain HTTP, such as on a company network, browsers offer no other way,
 * and Mantine's useClipboard has no such fallback.
 */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.className = "visually-hidden";
  // Appends inside the open dialog, if any, because the focus trap would take the focus back from outside.
  (focused?.parentElement ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

/** Copies text and shows the outcome briefly. */
export function useCopy(): {
  outcome: "copied" | "failed" | undefined;
  copy: (text: string) => Promise<boolean>;
} {
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = useCallback(async (text: string) => {
    const copied = await copyText(text);
    setOutcome(copied ? "copied" : "failed");
    return copied;
  }, []);
  return { outcome, copy };
}
