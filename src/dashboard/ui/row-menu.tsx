import { useState } from "react";
import { loaded } from "../loaded";
import { MenuButton, type RowMenuProps } from "./menu-button";

const { component: OpenMenu, load } = loaded(async () => (await import("./open-menu")).OpenMenu);

/**
 * The button that opens the actions on one thing of a list or of a page; nothing without actions. The menu itself comes
 * when it is first opened: those of a list would take most of the time that drawing it takes.
 */
export function RowMenu({ of, actions }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  if (actions.length === 0) return null;
  if (isUsed) return <OpenMenu of={of} actions={actions} />;
  return (
    <MenuButton
      of={of}
      aria-haspopup="menu"
      aria-expanded={false}
      // Keeps the button, with its focus, until the code of the menu is there.
      onClick={() => load().then(() => setUsed(true))}
      onPointerEnter={load}
      onFocus={load}
    />
  );
}
