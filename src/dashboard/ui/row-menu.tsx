import { ActionIcon, type ActionIconProps } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { type ComponentPropsWithRef, useState, useTransition } from "react";
import { loaded } from "../loaded";
import { Icon } from "./icon";

/** An action of a menu. */
export interface MenuAction {
  label: string;
  onClick: () => void;
  /** Whether it takes something away. */
  isDestructive?: boolean;
  disabled?: boolean;
}

export interface RowMenuProps {
  /** What the actions are done to. */
  of: string;
  actions: readonly MenuAction[];
}

const { component: OpenMenu, load } = loaded(async () => (await import("./open-menu")).OpenMenu);

/**
 * The button that opens the actions on one thing of a list or of a page; nothing without actions. The menu itself comes
 * when it is first opened: those of a list would take most of the time that drawing it takes.
 */
export function RowMenu({ of, actions }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  // Keeps the button, with its focus, until the code of the menu is there.
  const [, startTransition] = useTransition();
  if (actions.length === 0) return null;
  if (isUsed) return <OpenMenu of={of} actions={actions} />;
  return (
    <MenuButton
      of={of}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => startTransition(() => setUsed(true))}
      onPointerEnter={load}
      onFocus={load}
    />
  );
}

/** The button with the three dots. */
export const MenuButton = ({
  of,
  ...props
}: { of: string } & ActionIconProps & Omit<ComponentPropsWithRef<"button">, keyof ActionIconProps>) => (
  <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Actions for ${of}`} {...props}>
    <Icon of={IconDots} />
  </ActionIcon>
);
