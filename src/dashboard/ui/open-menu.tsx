import { Menu } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { MenuButton, type RowMenuProps } from "./menu-button";

/** The menu of a `RowMenu`. It opens when it is first rendered and, after that, with its button. */
export function OpenMenu({ of, actions }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    // Focuses the button before opening, because a closing menu returns the focus to where it was.
    button.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      // Rendered outside the card, because the card would clip it, but within the landmark.
      portalProps={{ target: "#content" }}
      withInitialFocusPlaceholder={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <MenuButton ref={button} of={of} />
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, onClick, isDestructive, disabled }) => (
          <Menu.Item
            key={label}
            onClick={() => {
              // A closing dialog restores the previous focus, but this menu item no longer exists by then.
              button.current?.focus();
              onClick();
            }}
            disabled={disabled ?? false}
            {...(isDestructive && !disabled && { c: "var(--bad)" })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
