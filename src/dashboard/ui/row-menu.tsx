import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useRef } from "react";
import { Icon } from "./icon";

/** An action of a menu. */
export interface MenuAction {
  label: string;
  onClick: () => void;
  /** Whether it takes something away. */
  isDestructive?: boolean;
  disabled?: boolean;
}

/** The button that opens the actions on one thing of a list or of a page; nothing without actions. */
export function RowMenu({ of, actions }: { of: string; actions: readonly MenuAction[] }) {
  const button = useRef<HTMLButtonElement>(null);
  if (actions.length === 0) return null;
  return (
    <Menu
      position="bottom-end"
      // Out of the card, which clips what is in it, but within the landmark.
      portalProps={{ target: "#content" }}
      withInitialFocusPlaceholder={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size="lg" aria-label={`Actions for ${of}`}>
          <Icon of={IconDots} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, onClick, isDestructive, disabled }) => (
          <Menu.Item
            key={label}
            onClick={() => {
              // A dialog returns the focus to where it was, and the menu is gone by then.
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
