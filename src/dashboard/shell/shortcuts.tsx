import { useWindowEvent } from "@mantine/hooks";
import { useState } from "react";
import { toggleTimes } from "../ui/format";
import { isTyping } from "../ui/is-typing";
import { loaded } from "../ui/loaded";

const { component: ShortcutList } = loaded(async () => (await import("./shortcut-list")).ShortcutList);

/** Handles the keys that work on every page: J and K move through a list, T shows exact times, and ? lists the keys. */
export function Shortcuts() {
  const [open, setOpen] = useState(false);
  useWindowEvent("keydown", (event) => {
    const { metaKey, ctrlKey, altKey } = event;
    if (metaKey || ctrlKey || altKey || isTyping(event)) return;
    if (document.querySelector("[role=dialog]") !== null) return;
    // With Caps Lock, the key is a capital letter.
    const key = event.key.toLowerCase();
    if (key === "j") focusRow(1);
    else if (key === "k") focusRow(-1);
    else if (key === "t") toggleTimes();
    else if (key === "?") setOpen(true);
  });
  return open && <ShortcutList onClosed={() => setOpen(false)} />;
}

/** Focuses the link of the next or previous row of the page's lists. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main a[data-row]")];
  const focused = document.activeElement?.closest("tr") ?? null;
  const at = rows.findIndex((row) => row.closest("tr") === focused && focused !== null);
  rows[at === -1 ? 0 : at + step]?.focus();
}
