import { ActionIcon, type ActionIconProps } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import type { ComponentPropsWithRef } from "react";
import { Icon } from "./icon";

export interface MenuAction {
  label: string;
  onClick: () => void;
  /** True if the action is destructive. */
  isDestructive?: boolean;
  disabled?: boolean;
}

export interface RowMenuProps {
  /** The name of the object that the actions apply to. */
  of: string;
  actions: readonly MenuAction[];
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
