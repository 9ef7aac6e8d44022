import type { MenuAction } from "../ui/menu-button";
import type { LineFragment } from "./documents.generated";

/** Actions that managers can take on a line, each in a dialog. */
export type LineAction = "test" | "pause" | "resume" | "default" | "rotate" | "archive";

/** Returns the menu entries for the actions available in a line's state. */
export function lineActions(
  { state, isDefault, secretGeneration }: LineFragment,
  onAction: (action: LineAction) => void,
  disabled: boolean,
): readonly MenuAction[] {
  const action = (name: LineAction, label: string, more: Partial<MenuAction> = {}): MenuAction => ({
    label,
    disabled,
    onClick: () => onAction(name),
    ...more,
  });
  return [
    action("test", "Send test message…"),
    ...(state === "active" ? [action("pause", "Pause…")] : [action("resume", "Resume…")]),
    ...(isDefault || state === "archived" ? [] : [action("default", "Make default…")]),
    action("rotate", secretGeneration === 0 ? "Create signing secret…" : "Rotate signing secret…"),
    ...(isDefault || state === "archived" ? [] : [action("archive", "Archive…", { isDestructive: true })]),
  ];
}
