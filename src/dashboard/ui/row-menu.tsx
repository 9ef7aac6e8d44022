import { useState } from "react";
import { loaded, NotLoaded } from "./loaded";
import { MenuButton, type RowMenuProps } from "./menu-button";

const { component: OpenMenu, load } = loaded(async () => (await import("./open-menu")).OpenMenu);

/**
 * The button that opens the actions on one thing of a list or of a page; nothing without actions. The menu itself comes
 * when it is first opened: the menus of a list would take most of its rendering time.
 */
export function RowMenu({ of, actions }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  if (actions.length === 0) return null;
  const open = async () => {
    const { activeElement } = document;
    // Keeps the button, with its focus, until the code of the menu is there; by then, it may be too late to open it.
    await load();
    if (document.activeElement === activeElement) setUsed(true);
  };
  const button = (
    <MenuButton
      of={of}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={open}
      onPointerEnter={load}
      onFocus={load}
    />
  );
  if (!isUsed) return button;
  const failed = (
    <>
      <NotLoaded />
      {button}
    </>
  );
  return <OpenMenu of={of} actions={actions} fallback={button} failed={failed} />;
}
