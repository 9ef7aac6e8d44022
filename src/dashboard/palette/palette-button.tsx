import { UnstyledButton } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { Icon } from "../ui/icon";
import { isTyping } from "../ui/is-typing";
import { loaded } from "../ui/loaded";
import styles from "./palette-button.module.css";

const { component: Palette, load } = loaded(async () => (await import("./palette")).Palette);

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the palette, like ⌘K and Ctrl K. The / key focuses the page's search or, without one, opens the palette. */
export function PaletteButton() {
  const [open, setOpen] = useState(false);
  useWindowEvent("keydown", (event) => {
    if (document.querySelector("[role=dialog]") !== null) return;
    const { key, metaKey, ctrlKey, altKey, shiftKey } = event;
    const isOpener = key.toLowerCase() === "k" && (IS_APPLE ? metaKey : ctrlKey) && !altKey && !shiftKey;
    const isSearch = key === "/" && !metaKey && !ctrlKey && !altKey && !isTyping(event);
    if (!isOpener && !isSearch) return;
    event.preventDefault();
    if (isOpener || !focusSearch()) setOpen(true);
  });
  return (
    <>
      <UnstyledButton
        className={styles.button}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
        onPointerEnter={load}
        onFocus={load}
      >
        <Icon of={IconSearch} size={16} />
        <span className={styles.label}>Go to…</span>
        <span className={styles.keys} aria-hidden="true">
          {IS_APPLE ? "⌘K" : "Ctrl K"}
        </span>
      </UnstyledButton>
      {open && <Palette onClosed={() => setOpen(false)} />}
    </>
  );
}

/**
 * Focuses the page's search.
 * @returns false if the page has none
 */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}
