import { useState } from "react";
import { useLocation } from "wouter";
import { useViewer } from "../session/session";
import { loaded } from "../ui/loaded";
import type { MenuAction } from "../ui/menu-button";
import type { KeyFragment } from "./documents.generated";

/** The dialogs, whose code is loaded on demand. */
const DIALOGS = {
  rename: loaded(async () => (await import("./rename-key")).RenameKey).component,
  rotate: loaded(async () => (await import("./rotate-key")).RotateKey).component,
  settings: loaded(async () => (await import("./key-settings")).KeySettings).component,
  revoke: loaded(async () => (await import("./revoke-key")).RevokeKey).component,
};

export type KeyAction = keyof typeof DIALOGS;

/** Returns the URL of a key's page. */
export const addressOf = (id: string): string => `/api-keys/${id}`;

/** Returns the URL of the audit log entries about a key. */
export const historyOf = (id: string): string => `/settings/audit-log?target=${id}`;

/** True if a key can be changed and rotated, not just revoked. */
const isChangeable = ({ state, isReplaced }: KeyFragment): boolean => state === "active" && !isReplaced;

/** True if a key can be rotated; connected applications refresh their own tokens. */
export const isRotatable = (key: KeyFragment): boolean => isChangeable(key) && key.clientId === null;

/** Returns the dialogs for keys, at most one open at a time, and the actions that open them. */
export function useKeyActions() {
  const { deactivated } = useViewer();
  const [, navigate] = useLocation();
  const [task, setTask] = useState<{ action: KeyAction; apiKey: KeyFragment }>();
  const Dialog = task && DIALOGS[task.action];

  const open = (action: KeyAction, apiKey: KeyFragment) => setTask({ action, apiKey });
  const menuOf = (apiKey: KeyFragment): MenuAction[] => {
    const change = (label: string, action: KeyAction): MenuAction => ({
      label,
      disabled: deactivated,
      onClick: () => open(action, apiKey),
    });
    return [
      ...(isChangeable(apiKey)
        ? [
            change("Rename…", "rename"),
            ...(isRotatable(apiKey) ? [change("Rotate…", "rotate")] : []),
            change("Settings…", "settings"),
          ]
        : []),
      { label: "History", onClick: () => navigate(historyOf(apiKey.id)) },
      ...(apiKey.state === "active"
        ? [{ label: "Revoke…", isDestructive: true, onClick: () => open("revoke", apiKey) }]
        : []),
    ];
  };
  return {
    open,
    menuOf,
    dialog: task && Dialog && <Dialog apiKey={task.apiKey} onClosed={() => setTask(undefined)} />,
  };
}
