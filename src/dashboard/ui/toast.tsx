import { notifications } from "@mantine/notifications";
import { IconCheck } from "@tabler/icons-react";
import { Icon } from "./icon";

/** Confirms briefly that something was done, on the screen and to screen readers. */
export function toast(message: string): void {
  notifications.show({
    message,
    color: "green",
    withBorder: true,
    icon: <Icon of={IconCheck} size={16} />,
    closeButtonProps: { "aria-label": "Dismiss" },
    // Announced by the live region around it, which waits for the screen reader to finish its sentence.
    role: "none",
  });
}
