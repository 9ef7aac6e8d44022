import { useState } from "react";
import { loaded, NotLoaded } from "./loaded";
import { MenuButton, type RowMenuProps } from "./menu-button";

const { component: OpenMenu, load } = loaded(async () => (await import("./open-menu")).OpenMenu);

/**
 * The menu button of a list item or page; nothing if there are no actions. The menu is rendered only when first opened,
 * because menus would take up most of a list's rendering time.
 */
export function RowMenu({ of, actions }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  if (actions.length === 0) return null;
  const open = async () => {
    const { activeElement } = document;
    // If the focus has moved by the time the menu's code is loaded, it is too late to open the menu.
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
