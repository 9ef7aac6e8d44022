import type { MenuAction } from "../ui/menu-button";
import type { LineFragment } from "./documents.generated";

/** The actions of managers on a line, in a dialog. */
export type LineAction = "test" | "pause" | "resume" | "default" | "rotate" | "archive";

/** The actions available in a line's state, for its menus. */
export function lineActions(
  { state, isDefault }: LineFragment,
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
    action("rotate", "Rotate signing secret…"),
    ...(isDefault || state === "archived" ? [] : [action("archive", "Archive…", { isDestructive: true })]),
  ];
}
