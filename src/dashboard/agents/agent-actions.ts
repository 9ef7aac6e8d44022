import type { MenuAction } from "../ui/menu-button";

/** The actions of managers on an agent. */
export type AgentAction = "rename" | "delete";

/** The actions on an agent, for its menus. */
export const agentActions = (
  onAction: (action: AgentAction) => void,
  disabled: boolean,
): readonly MenuAction[] => [
  { label: "Rename…", disabled, onClick: () => onAction("rename") },
  { label: "Delete…", disabled, isDestructive: true, onClick: () => onAction("delete") },
];
