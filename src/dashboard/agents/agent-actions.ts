import type { MenuAction } from "../ui/menu-button";

/** Actions that managers can take on an agent. */
export type AgentAction = "rename" | "delete";

/** Returns the menu entries for the actions on an agent. */
export const agentActions = (
  onAction: (action: AgentAction) => void,
  disabled: boolean,
): readonly MenuAction[] => [
  { label: "Rename…", disabled, onClick: () => onAction("rename") },
  { label: "Delete…", disabled, isDestructive: true, onClick: () => onAction("delete") },
];
