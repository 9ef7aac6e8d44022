import { useCallback, useEffect, useState } from "react";

/** How long a button says that it has copied (ms). */
const SAY_SO_MS = 2_500;

/** Puts a text on the clipboard. @returns whether that worked */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Browsers keep the clipboard from pages of plain HTTP, such as a gateway within a company, but not from a selection. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.className = "visually-hidden";
  // Within the open dialog, if there is one: it would take the focus back from elsewhere.
  (focused?.parentElement ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

/** Copies, and says for a while how that went. */
export function useCopy(): {
  outcome: "copied" | "failed" | undefined;
  copy: (text: string) => Promise<boolean>;
} {
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), SAY_SO_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = useCallback(async (text: string) => {
    const copied = await copyText(text);
    setOutcome(copied ? "copied" : "failed");
    return copied;
  }, []);
  return { outcome, copy };
}
